"""Turn requests into generations: models, prompts, engines."""
