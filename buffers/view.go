package buffers

import "unsafe"

// Large texts are not copied to change their type: neither the bytes of a file nor those in a [Store] are ever changed.

// View is the text of bytes that nobody will change.
func View(data []byte) string { return textOf(data) }

// Bytes are those of a text. Nobody may change them.
func Bytes(text string) []byte { return bytesOf(text) }

func textOf(data []byte) string { return unsafe.String(unsafe.SliceData(data), len(data)) }

func bytesOf(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }
