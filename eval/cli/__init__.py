"""The `foveal` command."""
