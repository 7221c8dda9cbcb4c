package guides

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/config"
)

// A Windows console is not to be had here: what is typed into one is checked as that
// node would check it.
func TestBatch(t *testing.T) {
	t.Parallel()
	checked := 0
	for name, blocks := range documents(t) {
		for _, b := range blocks {
			if b.label != "bat" {
				continue
			}
			for i, line := range b.text {
				words := strings.Fields(line)
				if len(words) == 0 || words[0] != "tutti.exe" {
					t.Errorf("%s:%d: only tutti.exe is known: %s", name, b.line+1+i, line)
					continue
				}
				_, _, err := config.Load(config.Input{Args: words[1:], Home: `C:\Users\operator`, System: "windows"})
				if err != nil {
					t.Errorf("%s:%d: %v", name, b.line+1+i, err)
				}
				checked++
			}
		}
	}
	if checked == 0 {
		t.Error("no line was checked")
	}
}
