package batch_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/server/gateway/batch"
)

// A batch's lines are answered as its key's requests are, and each has one answer in one of the files.
func TestBatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, batch.Limits{})
	busy := 0
	w.answer = func(rw http.ResponseWriter, _ *http.Request, said string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		switch {
		case said == "refuse":
			http.Error(rw, `{"error":{"message":"no"}}`, http.StatusBadRequest)
		case said == "busy" && busy < 5: // more often than what is broken is tried
			busy++
			rw.WriteHeader(http.StatusServiceUnavailable)
		case said == "broken":
			panic(http.ErrAbortHandler)
		case said == "failing":
			rw.WriteHeader(http.StatusBadGateway)
			fmt.Fprint(rw, `{"error":{}}`)
		default:
			fmt.Fprintf(rw, "{\"said\":\n %q}\n", said)
		}
	}
	file := w.upload("a", "\n"+lines("one", "refuse", "busy")+"\r\n"+lines("broken")+strings.TrimSpace(lines("failing")))
	id := w.create("a", file)
	r := w.await("a", id, "completed")
	if r.get("request_counts.total") != "5" || r.get("request_counts.completed") != "2" ||
		r.get("request_counts.failed") != "3" || r.get("output_file_id") == "" || r.get("errors") != "" {
		t.Errorf("the batch says %s", r.text)
	}
	good, once := w.answers("a", r.get("output_file_id"))
	bad, also := w.answers("a", r.get("error_file_id"))
	for id, want := range map[string]string{"id one": `200 {"said":"one"}`, "id busy": `200 {"said":"busy"}`} {
		if good[id] != want || once[id] != 1 {
			t.Errorf("%s: %d times %s", id, once[id], good[id])
		}
	}
	for id, want := range map[string]string{"id refuse": `400 {"error":{"message":"no"}}`, "id broken": "AnswerUnreadable",
		"id failing": `502 {"error":{}}`} {
		if bad[id] != want || also[id] != 1 {
			t.Errorf("%s: %d times %s", id, also[id], bad[id])
		}
	}
	if w.runs("a one") != 1 || w.runs("a refuse") != 1 || w.runs("a busy") != 6 || w.runs("a broken") != 3 ||
		w.runs("a failing") != 3 {
		t.Errorf("requests ran %v", w.ran)
	}
	if r := w.call("a", http.MethodDelete, "/v1/files/"+file, "", ""); r.get("deleted") != "true" {
		t.Errorf("the file says %s", r.text)
	}
	if r := w.call("a", http.MethodPost, "/v1/batches/"+id+"/cancel", "", ""); r.get("error.code") != "BatchEnded" {
		t.Errorf("an ended batch says %s", r.text)
	}
}

// A key sees only its own files and batches.
func TestOtherKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t, batch.Limits{})
	file := w.upload("a", lines("one"))
	id := w.create("a", file)
	out := w.await("a", id, "completed").get("output_file_id")
	for _, f := range []string{file, out} {
		for method, path := range map[string]string{http.MethodGet: "", http.MethodDelete: "", http.MethodHead: "/content"} {
			if r := w.call("b", method, "/v1/files/"+f+path, "", ""); r.status != http.StatusNotFound {
				t.Errorf("%s %s says %d %s", method, path, r.status, r.text)
			}
		}
	}
	for _, row := range [][2]string{{http.MethodGet, ""}, {http.MethodPost, "/cancel"}} {
		if r := w.call("b", row[0], "/v1/batches/"+id+row[1], "", ""); r.get("error.code") != "BatchUnknown" {
			t.Errorf("%s says %s", row, r.text)
		}
	}
	r := w.call("b", http.MethodPost, "/v1/batches", "application/json",
		`{"input_file_id":"`+file+`","endpoint":"/v1/chat/completions","completion_window":"24h"}`)
	if r.get("error.code") != "FileUnknown" {
		t.Errorf("another key's file says %s", r.text)
	}
	for _, path := range []string{"/v1/files", "/v1/batches"} {
		if r := w.call("b", http.MethodGet, path, "", ""); r.get("data") != "[]" || r.get("has_more") != "false" {
			t.Errorf("%s says %s", path, r.text)
		}
		if r := w.call("c", http.MethodGet, path, "", ""); r.status != http.StatusUnauthorized {
			t.Errorf("%s without a key says %s", path, r.text)
		}
	}
	if r := w.call("a", http.MethodGet, "/v1/files?limit=1&order=asc", "", ""); r.get("has_more") != "true" {
		t.Errorf("the list says %s", r.text)
	}
}

// A batch that is cancelled starts no further line. Those in progress get their answers, and the others one that says
// why.
func TestCancel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, batch.Limits{Concurrency: 2})
	started, free := make(chan string, 10), make(chan struct{})
	w.answer = func(rw http.ResponseWriter, _ *http.Request, said string) {
		started <- said
		<-free
		fmt.Fprint(rw, `{}`)
	}
	file := w.upload("a", lines("1", "2", "3", "4"))
	id := w.create("a", file)
	<-started
	<-started
	if r := w.call("a", http.MethodDelete, "/v1/files/"+file, "", ""); r.get("error.code") != "FileInUse" {
		t.Errorf("a file in use says %s", r.text)
	}
	for range 2 {
		if r := w.call("a", http.MethodPost, "/v1/batches/"+id+"/cancel", "", ""); r.get("status") != "cancelling" {
			t.Errorf("it says %s", r.text)
		}
	}
	close(free)
	r := w.await("a", id, "cancelled")
	good, _ := w.answers("a", r.get("output_file_id"))
	bad, _ := w.answers("a", r.get("error_file_id"))
	if len(good) != 2 || bad["id 3"] != "batch_cancelled" || bad["id 4"] != "batch_cancelled" || len(started) != 0 {
		t.Errorf("answers %v, refused %v", good, bad)
	}
}

// A batch that is not done in its time ends with what it has.
func TestExpiry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, batch.Limits{Concurrency: 1})
	w.answer = func(rw http.ResponseWriter, _ *http.Request, said string) {
		if said == "1" {
			fmt.Fprint(rw, `{}`)
			return
		}
		w.clock.Forward(9 * time.Hour) // each takes this long to find no capacity
		rw.WriteHeader(http.StatusTooManyRequests)
	}
	id := w.create("a", w.upload("a", lines("1", "2", "3")))
	r := w.await("a", id, "expired")
	good, _ := w.answers("a", r.get("output_file_id"))
	bad, _ := w.answers("a", r.get("error_file_id"))
	if good["id 1"] != "200 {}" || bad["id 2"] != "batch_expired" || bad["id 3"] != "batch_expired" {
		t.Errorf("answers %v, refused %v", good, bad)
	}
	// Files and batches go when their time is over.
	w.clock.Forward(31 * 24 * time.Hour)
	w.until("the files to be deleted", func() bool {
		left, _ := filepath.Glob(filepath.Join(w.dir, "*-*"))
		more, _ := filepath.Glob(filepath.Join(w.dir, "batch_*"))
		return len(left)+len(more) == 0
	}, func() string { left, _ := filepath.Glob(w.dir + "/*"); return fmt.Sprint(left) })
}

// However often the node is killed, a line whose answer is on disk does not run again.
func TestRestarts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, batch.Limits{Concurrency: 3})
	var texts []string
	for i := range 40 {
		texts = append(texts, fmt.Sprint(i))
	}
	stuck := make(chan struct{}, 100)
	begin := func(after int) { // lines wait for the end of the node once so many ran
		w.mu.Lock()
		defer w.mu.Unlock()
		w.answer = func(rw http.ResponseWriter, r *http.Request, said string) {
			w.mu.Lock()
			after--
			wait := after < 0
			w.mu.Unlock()
			if wait {
				stuck <- struct{}{}
				<-r.Context().Done()
				return
			}
			fmt.Fprintf(rw, `{"said":%q}`, said)
		}
	}
	begin(5)
	id := w.create("a", w.upload("a", lines(texts...)))
	for range 4 {
		for range 3 {
			<-stuck
		}
		w.end()
		outs, err := filepath.Glob(filepath.Join(w.dir, "file-*.data"))
		if err != nil || len(outs) < 2 {
			t.Fatal(outs, err)
		}
		recorded := make(map[string]int)
		for _, name := range outs { // a power failure cut an answer off
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range texts {
				if strings.Contains(string(b), `"custom_id":"id `+text+`","response"`) {
					recorded[text] = w.runs("a " + text)
				}
			}
			if strings.HasPrefix(string(b), `{"id":"batch_req_`) {
				if err := os.WriteFile(name, append(b, `{"id":"batch_req_`...), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		if len(recorded) == 0 {
			t.Fatal("no answer is on disk")
		}
		begin(5)
		w.start()
		t.Cleanup(func() {
			for text, before := range recorded {
				if n := w.runs("a " + text); n != before {
					t.Errorf("%s ran %d times, %d before its answer was on disk", text, n, before)
				}
			}
		})
	}
	for range 3 {
		<-stuck
	}
	w.end()
	begin(1000)
	w.start()
	r := w.await("a", id, "completed")
	good, times := w.answers("a", r.get("output_file_id"))
	for _, text := range texts {
		if good["id "+text] != `200 {"said":"`+text+`"}` || times["id "+text] != 1 {
			t.Errorf("%s: %d times %s", text, times["id "+text], good["id "+text])
		}
	}
	if r.get("request_counts.completed") != "40" {
		t.Errorf("the batch says %s", r.text)
	}
}

// In an upgrade the old process ends the lines in progress, and the new one runs none of that batch before.
func TestHandover(t *testing.T) {
	t.Parallel()
	w := newWorld(t, batch.Limits{Concurrency: 1})
	started := make(chan string, 10)
	free := map[string]chan struct{}{"1": make(chan struct{}), "2": make(chan struct{}), "3": make(chan struct{})}
	w.answer = func(rw http.ResponseWriter, _ *http.Request, said string) {
		started <- said
		<-free[said]
		fmt.Fprintf(rw, `{"said":%q}`, said)
	}
	id := w.create("a", w.upload("a", lines("1", "2")))
	other := w.create("b", w.upload("b", lines("3")))
	if said := <-started; said != "1" {
		t.Fatalf("%s is first", said)
	}
	old, endOld := w.server, w.end
	if err := old.HandOver(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.start()
	if said := <-started; said != "3" { // the batch without lines in progress goes on at once
		t.Errorf("%s runs in the new process", said)
	}
	close(free["3"])
	w.await("b", other, "completed")
	if r := w.call("a", http.MethodPost, "/v1/batches/"+id+"/cancel", "", ""); r.get("error.code") != "BatchElsewhere" {
		t.Errorf("a batch of the old process says %s", r.text)
	}
	if len(started) != 0 {
		t.Error("a line runs in both processes")
	}
	close(free["1"]) // in the old process
	if said := <-started; said != "2" {
		t.Errorf("%s runs after the answer", said)
	}
	close(free["2"])
	r := w.await("a", id, "completed")
	if good, _ := w.answers("a", r.get("output_file_id")); len(good) != 2 || w.runs("a 1") != 1 || w.runs("a 2") != 1 {
		t.Errorf("answers %v, runs %v", good, w.ran)
	}
	if err := old.Finish(t.Context()); err != nil {
		t.Error(err)
	}
	endNew := w.end
	w.end = func() { endNew(); endOld() }
}

// A key that is taken back ends what its batches may do, and no secret of it is on disk.
func TestKeyTakenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, batch.Limits{Concurrency: 1})
	w.answer = func(rw http.ResponseWriter, _ *http.Request, said string) {
		w.guard.SetStatic([]apikeys.Key{{ID: "b", Name: "b", Hash: apikeys.HashOf("key-b")}})
		fmt.Fprint(rw, `{}`)
	}
	id := w.create("a", w.upload("a", lines("1", "2", "3")))
	var text string
	w.until("the batch to end", func() bool {
		b, err := os.ReadFile(filepath.Join(w.dir, id+".json"))
		text = string(b)
		return err == nil && strings.Contains(text, `"status":"completed"`)
	}, func() string { return text })
	if !strings.Contains(text, `{"total":3,"completed":1,"failed":2}`) || w.runs("a 2") != 0 {
		t.Errorf("the batch is %s", text)
	}
	all, err := os.ReadDir(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		info, err := e.Info()
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v", e.Name(), info.Mode(), err)
		}
		if b, _ := os.ReadFile(filepath.Join(w.dir, e.Name())); strings.Contains(string(b), "key-a") {
			t.Errorf("%s holds the key", e.Name())
		}
	}
}
