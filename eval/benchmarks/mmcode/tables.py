"""How the MMCode paper names the columns and sections of its tables."""

from __future__ import annotations

# The column headings of Tables 2 and 7, if they are shorter than the category.
HEADINGS = {"Linear Data Structure": "Linear", "2D Geometry": "2D", "3D Geometry": "3D"}
SECTIONS = {"text_only": "Language Only Inputs", "vision": "Vision + Language Inputs"}
