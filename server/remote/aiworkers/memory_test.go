package aiworkers_test

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/remote/aiworkers"
)

// An answer with files takes several times its size until it is written anew.
func TestMemoryOfAnAnswer(t *testing.T) {
	_, body := mixed(
		part{"Content-Type: image/png\r\nContent-Disposition: attachment; filename=a.png", strings.Repeat("x", 1<<20)},
		part{"Content-Type: application/json", `{"images":[{"url":"a.png"}]}`})
	text := body.Bytes()
	if held, _, err := aiworkers.ReadMixed(text, "0123456789abcdef0123", 4<<20); fault.CodeOf(err) != fault.JobsFull ||
		held != 0 {
		t.Errorf("%d held, %v", held, err)
	}
	held, after, err := aiworkers.ReadMixed(text, "0123456789abcdef0123", 8<<20)
	if err != nil || held < 4<<20/3 || held > 3<<20 || after != 0 {
		t.Errorf("%d held, %d after, %v", held, after, err)
	}
}

// An answer becomes no larger than its files, however often it names them, and what is read of it
// besides them is little.
func TestFilesAreNamedOnce(t *testing.T) {
	t.Parallel()
	file := part{"Content-Type: image/png\r\nContent-Disposition: attachment; filename=a.png", strings.Repeat("x", 1<<20)}
	for name, answer := range map[string]string{
		"named often":      `{"images":[` + strings.Repeat(`{"url":"a.png"},`, 63) + `{"url":"a.png"}]}`,
		"many empty parts": `{"images":[` + strings.Repeat(`{},`, 1<<20) + `{"url":"a.png"}]}`,
	} {
		_, body := mixed(file, part{"Content-Type: application/json", answer})
		out, err := aiworkers.JoinParts(body.Bytes(), "0123456789abcdef0123")
		if err == nil && len(out) > 2<<20 || err != nil && name == "named often" || err == nil && name != "named often" {
			t.Errorf("%s: %d bytes, %v", name, len(out), err)
		}
	}
}
