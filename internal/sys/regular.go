package sys

import (
	"fmt"
	"os"
	"syscall"
)

// OpenRegular opens a file that somebody with fewer rights writes, for reading. A link could lead to
// what only we may read, and a pipe would never end; neither is followed.
func OpenRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
