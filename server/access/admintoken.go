package access

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/privatefile"
)

// adminTokenBytes is the token's length in bytes.
const adminTokenBytes = 32

// maxTokenFile bounds what is read of the file.
const maxTokenFile = 1024

// AdminToken is the secret as its hash; the secret itself is not kept in memory.
type AdminToken struct{ hash [sha256.Size]byte }

// AdminTokenExists reports whether the file is there, whatever is in it.
func AdminTokenExists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// OpenAdminToken reads the token, and makes one where there is no file. The error is an
// AdminTokenFile fault that says what to do.
func OpenAdminToken(path string) (AdminToken, error) {
	t, err := readToken(path)
	if errors.Is(err, fs.ErrNotExist) {
		t, err = createToken(path)
	}
	if err != nil {
		return AdminToken{}, &fault.Fault{Code: fault.AdminTokenFile, Op: "open the admin token",
			Detail: tokenDetail(path, err), Err: err}
	}
	return t, nil
}

// GivenAdminToken returns a token that the operator chose. The error is an AdminTokenFile fault.
func GivenAdminToken(text string) (AdminToken, error) {
	t, err := parseToken("-adminToken", text)
	if err != nil {
		return AdminToken{}, &fault.Fault{Code: fault.AdminTokenFile, Op: "take the admin token", Detail: err.Error(),
			Err: err}
	}
	return t, nil
}

// detail is for the operator, at start and in the log; the path is theirs.
func tokenDetail(path string, err error) string {
	if m, ok := errors.AsType[*modeError](err); ok {
		return fmt.Sprintf("%s has mode %04o; chmod 600 %s", path, m.mode, path)
	}
	return err.Error()
}

// modeError: others than the owner may read or write the file.
type modeError struct{ mode fs.FileMode }

func (e *modeError) Error() string { return fmt.Sprintf("mode %04o lets others in", e.mode) }

func readToken(path string) (AdminToken, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return AdminToken{}, err
	}
	if !info.Mode().IsRegular() {
		return AdminToken{}, fmt.Errorf("%s is not a regular file", path)
	}
	// Windows has no such mode; there the directory's rights protect the file.
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 {
		return AdminToken{}, &modeError{mode}
	}
	f, err := os.Open(path)
	if err != nil {
		return AdminToken{}, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxTokenFile))
	if err != nil {
		return AdminToken{}, err
	}
	return parseToken(path, string(text))
}

// parse takes what create writes, and any other text of that many bits that an
// operator made: `openssl rand -hex 32`.
func parseToken(path, text string) (AdminToken, error) {
	text = strings.TrimSpace(text)
	if len(text) < 2*adminTokenBytes || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return AdminToken{}, fmt.Errorf("%s holds no token of at least %d letters and digits", path, 2*adminTokenBytes)
	}
	return AdminToken{sha256.Sum256([]byte(text))}, nil
}

// create writes a new token. The file appears whole or not at all, and never with
// a wider mode.
func createToken(path string) (AdminToken, error) {
	secret := make([]byte, adminTokenBytes)
	_, _ = rand.Read(secret) // never fails
	text := hex.EncodeToString(secret)
	switch err := privatefile.Create(path, []byte(text+"\n")); {
	case errors.Is(err, fs.ErrExist): // another start just made it
		return readToken(path)
	case err != nil:
		return AdminToken{}, err
	}
	return AdminToken{sha256.Sum256([]byte(text))}, nil
}

// Matches reports whether a text is the token, in a time that does not depend on
// where they differ.
func (t AdminToken) Matches(text string) bool {
	sum := sha256.Sum256([]byte(text))
	return subtle.ConstantTimeCompare(sum[:], t.hash[:]) == 1
}
