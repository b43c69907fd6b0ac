# What all endpoints share: logs, lists, limits, framing, keys, the document.
