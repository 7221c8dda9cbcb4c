package nodedb

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/pm/ledger"
)

// Mark keeps in the data directory how far the node's books are. book is the one
// in the database of -store, "" for the books in tutti.db: a directory may have had both.
func Mark(dir, book string) ledger.Marker {
	name := "ledger.mark"
	if book != "" {
		name = "ledger." + book + ".mark"
	}
	return markFile{database.MarkFile{Path: filepath.Join(dir, name)}}
}

// markFile is a ledger's mark in a file.
type markFile struct{ file database.MarkFile }

// Load reads the mark.
func (m markFile) Load() (mark ledger.Mark, found bool, err error) {
	content, err := m.file.Read()
	if err != nil || content == nil {
		return mark, false, err
	}
	if err := json.Unmarshal(content, &mark); err != nil {
		return mark, false, fmt.Errorf("%s is damaged: %w", m.file.Path, err)
	}
	return mark, true, nil
}

// Store writes the mark.
func (m markFile) Store(mark ledger.Mark) error {
	content, err := json.Marshal(mark)
	if err != nil {
		return err
	}
	return m.file.Write(append(content, '\n'))
}
