"""The controller's firmware from the host's side: images and boards in; a board that runs a known image out."""
