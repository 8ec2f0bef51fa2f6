"""From a `Doc` to arrays: attributes, preset boundaries and arcs, alignment."""
