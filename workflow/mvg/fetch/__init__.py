"""Downloads of the public originals: addresses as data, and the code that fetches them."""
