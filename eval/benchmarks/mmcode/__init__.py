"""MMCode (arXiv 2404.09486): contest problems with pictures."""
