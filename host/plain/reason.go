package plain

import (
	"errors"
	"fmt"
	"io/fs"
)

// Reason is an error for a message of one line, which is cut at its end: of what the system says of a path, the reason comes first.
func Reason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return fmt.Sprintf("%v (%s)", at.Err, at.Path)
	}
	return err.Error()
}
