"""A small set of our own in MMCode's published format: the default data, so that everything runs without a download."""
