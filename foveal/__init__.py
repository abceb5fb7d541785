"""foveal: how well a checkpoint turns pictures and text into working programs and right answers."""
