package apikeystore

import (
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
)

// largestFile is where reading stops; keys.ParseFile refuses what is as large.
const maxFileBytes = 16<<20 + 1

// ReadFile reads a key file. A file with keys in the clear is refused if others
// may read it. Errors are the fault KeyFileInvalid.
func ReadFile(path string) ([]apikeys.Key, error) {
	op := "read API keys from " + path
	f, err := os.Open(path)
	if err != nil {
		return nil, fault.Wrap(fault.KeyFileInvalid, op, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fault.Wrap(fault.KeyFileInvalid, op, err)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes))
	if err != nil {
		return nil, fault.Wrap(fault.KeyFileInvalid, op, err)
	}
	file, err := apikeys.ParseFile(data)
	if err != nil {
		return nil, fault.Wrap(fault.KeyFileInvalid, op, err)
	}
	// Windows has access lists, and modes that Go makes up.
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && file.Secrets && mode&0o077 != 0 {
		return nil, fault.New(fault.KeyFileInvalid, op,
			fmt.Sprintf("it contains keys in the clear and other users may read it (mode %04o): chmod 600 %s, or replace "+
				"each key by its key_sha256", mode, path))
	}
	return file.Keys, nil
}
