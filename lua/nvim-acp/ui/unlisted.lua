--- The description of keys that are mapped only to keep others from acting: which-key leaves them out by it.
return "which_key_ignore"
