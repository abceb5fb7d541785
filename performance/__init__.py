"""The performance harness: ratios against peers, measured side by side."""
