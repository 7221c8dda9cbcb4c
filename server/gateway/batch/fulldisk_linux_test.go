package batch_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tuttinode/tutti/server/gateway/batch"
)

// A batch whose answers the disk does not take ends with those that it took, whole, and uploads are refused by name.
func TestAFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=256k,mode=0700"); err != nil {
		t.Skip("this user mounts no disk: ", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	w := newWorldIn(t, dir, batch.Limits{Concurrency: 2, Answer: 64 << 10})
	w.answer = func(rw http.ResponseWriter, _ *http.Request, said string) {
		fmt.Fprintf(rw, `{"said":%q}`, strings.Repeat(said, 40_000))
	}
	texts := strings.Split("123456789abcdefghijklmnop", "")
	spare := w.upload("a", strings.Repeat("x", 24<<10))
	id := w.create("a", w.upload("a", lines(texts...)))
	w.until("the lines in progress to end", func() bool {
		now := w.call("a", http.MethodGet, "/v1/batches/"+id, "", "").get("status")
		return now == "finalizing" || now == "failed"
	}, func() string { return "they do not" })
	// Its end may need space, too.
	if r := w.call("a", http.MethodDelete, "/v1/files/"+spare, "", ""); r.get("deleted") != "true" {
		t.Fatalf("a deletion says %s", r.text)
	}
	var r *reply
	w.until("the batch to end", func() bool {
		r = w.call("a", http.MethodGet, "/v1/batches/"+id, "", "")
		w.clock.Forward(time.Second)
		return r.get("status") == "failed"
	}, func() string { return r.text })
	good, _ := w.answers("a", r.get("output_file_id"))
	bad, _ := w.answers("a", r.get("error_file_id"))
	if !strings.Contains(r.text, "DataDiskFull") || len(good) < 3 || len(good) > 6 || len(good)+len(bad) != len(texts) {
		t.Errorf("%d answers, %d refused, %s", len(good), len(bad), r.text)
	}
	for id, text := range good {
		if len(text) < 40_000 {
			t.Errorf("%s is not whole", id)
		}
	}
	contentType, body := form(map[string]string{"purpose": "batch"}, make([]byte, 200<<10))
	if r := w.call("a", http.MethodPost, "/v1/files", contentType, body); r.get("error.code") != "DataDiskFull" {
		t.Errorf("an upload says %d %s", r.status, r.text)
	}
	if r := w.call("a", http.MethodDelete, "/v1/files/"+r.get("output_file_id"), "", ""); r.get("deleted") != "true" {
		t.Errorf("a deletion says %s", r.text)
	}
	w.upload("a", strings.Repeat("x", 100<<10))
}
