package config_test

import (
	"os"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/config"
)

// later are the options whose part of the node is still to come: recording, and output to object stores. Read-only.
var later = map[string]bool{"objectStore": true, "recordStore": true}

// No other option says that it has no effect in this release: not on the page, not in the help, and not when it is
// given to a node.
func TestOnlyRecordingAndObjectStoresAreToCome(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]bool)
	for line := range strings.Lines(string(page)) {
		name, ok := strings.CutPrefix(line, "| `-")
		if !ok {
			continue
		}
		name, _, _ = strings.Cut(name, "`")
		found[name] = true
		if toCome(line) != later[name] {
			t.Errorf("the page says of -%s: %s", name, line)
		}
	}
	if !found["objectStore"] || !found["recordStore"] || len(found) < 150 {
		t.Errorf("the page has %d options", len(found))
	}
	for _, f := range existingFlags(t) {
		_, notices, err := config.Load(input(append(combined[:len(combined):len(combined)], "-"+f.name+"="+f.value)...))
		said := err != nil && toCome(err.Error())
		for _, n := range notices {
			said = said || n.Subject == "-"+f.name && toCome(n.Text)
		}
		if said != later[f.name] {
			t.Errorf("-%s: %v %v", f.name, err, notices)
		}
	}
}

// toCome reports whether a text promises what the release does not have.
func toCome(text string) bool {
	text = strings.ToLower(text)
	for _, says := range []string{"not part of this release", "this release cannot", "not yet", "a later release"} {
		if strings.Contains(text, says) {
			return true
		}
	}
	return false
}
