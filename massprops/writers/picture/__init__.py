"""Pictures: shaded parts and robots as PNG by a depth buffer of our own, sections as SVG."""
