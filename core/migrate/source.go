package migrate

import (
	"os"
	"path/filepath"
)

// Names in the existing node's data directory.
const (
	// DatabaseName is its database, by which the directory is recognized.
	DatabaseName = "lpdb.sqlite3"
	// KeystoreName is the directory of its keys, and of ours.
	KeystoreName = "keystore"
	// ModelsName is the directory of its AI models' weights.
	ModelsName = "models"
	// homeName is its directory in the user's home.
	homeName = ".lpData"
)

// IsSource reports whether a directory is the data directory of an existing node.
func IsSource(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, DatabaseName))
	return err == nil && info.Mode().IsRegular()
}

// HasKeys reports whether there are keys to take over in a directory, with a database
// next to them or without one.
func HasKeys(dir string) bool {
	keys, err := KeysIn(dir)
	return err == nil && len(keys) > 0
}

// Usual returns the default data directory of the existing node.
func Usual(home, network string) string {
	if home == "" {
		return ""
	}
	return filepath.Join(home, homeName, network)
}
