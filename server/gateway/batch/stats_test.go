package batch_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/tuttinode/tutti/server/gateway/batch"
)

// TestStats follows a batch with a line that is busy once and one that is refused, and is cancelled while two run.
func TestStats(t *testing.T) {
	t.Parallel()
	w := newWorld(t, batch.Limits{Concurrency: 2, Storage: 1 << 30})
	started, free := make(chan string, 10), make(chan struct{})
	w.answer = func(rw http.ResponseWriter, _ *http.Request, said string) {
		switch said {
		case "busy":
			if w.runs("a busy") == 1 {
				rw.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			fmt.Fprint(rw, `{}`)
		case "refuse":
			http.Error(rw, `{"error":{"message":"no"}}`, http.StatusBadRequest)
		default:
			started <- said
			<-free
			fmt.Fprint(rw, `{}`)
		}
	}
	first := w.create("a", w.upload("a", lines("busy", "refuse")))
	w.await("a", first, "completed")
	id := w.create("a", w.upload("a", lines("1", "2", "3", "4", "5")))
	<-started
	<-started
	s := w.server.Stats()
	if s.Batches["in_progress"] != 1 || s.Running != 2 || s.Waiting != 3 || s.Ended["completed"] != 1 ||
		s.Lines["completed"] != 1 || s.Lines["failed"] != 1 || s.Lines["retried"] != 1 || s.Lines["not_run"] != 0 ||
		s.Bytes <= 0 || s.Storage != 1<<30 {
		t.Errorf("with two lines in progress: %+v", s)
	}
	w.call("a", http.MethodPost, "/v1/batches/"+id+"/cancel", "", "")
	if s := w.server.Stats(); s.Batches["cancelling"] != 1 || s.Batches["in_progress"] != 0 {
		t.Errorf("while it is cancelled: %+v", s)
	}
	close(free)
	w.await("a", id, "cancelled")
	s = w.server.Stats()
	if s.Batches["cancelling"] != 0 || s.Running != 0 || s.Waiting != 0 || s.Ended["cancelled"] != 1 ||
		s.Lines["completed"] != 3 || s.Lines["not_run"] != 3 {
		t.Errorf("at the end: %+v", s)
	}
}
