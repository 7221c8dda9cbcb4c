package batch_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/server/gateway/batch"
)

// line is a request with one field replaced.
func line(old, replacement string) string { return strings.Replace(lines("x"), old, replacement, 1) }

// A file that is no list of requests fails its batch, which says where and why, and no request runs.
func TestInvalidFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, batch.Limits{Line: 4 << 10, Lines: 5})
	for name, row := range map[string]struct {
		content, code, param string
		line                 int
	}{
		"empty":                {"", "empty_file", "", 0},
		"empty lines":          {strings.Repeat("\n \r\n", 100_000), "empty_file", "", 0},
		"no JSON":              {"\n\n{", "invalid_json_line", "", 3},
		"an array":             {"[]", "invalid_json_line", "", 1},
		"two objects":          {strings.TrimSpace(lines("1")) + lines("2"), "invalid_json_line", "", 1},
		"another field":        {line(`"method"`, `"priority":1,"method"`), "invalid_json_line", "", 1},
		"no UTF-8":             {lines("1") + line("id x", "id \xff"), "invalid_encoding", "", 2},
		"zeros":                {strings.Repeat("\x00", 3000), "invalid_json_line", "", 1},
		"a long line":          {lines("1") + line("id x", strings.Repeat("x", 4<<10)), "line_too_long", "", 2},
		"a line of the limit":  {strings.Repeat("[", 4<<10), "invalid_json_line", "", 1},
		"no end":               {strings.Repeat("{", 1<<20), "line_too_long", "", 1},
		"too many":             {lines("1", "2", "3", "4", "5", "6"), "too_many_requests", "", 6},
		"two of a name":        {lines("1", "2", "1"), "duplicate_custom_id", "custom_id", 3},
		"no name":              {line("id x", ""), "invalid_request", "custom_id", 1},
		"a long name":          {line("id x", strings.Repeat("x", 513)), "invalid_request", "custom_id", 1},
		"another method":       {line("POST", "GET"), "invalid_request", "method", 1},
		"another address":      {line("/v1/chat/completions", "/v1/embeddings"), "mismatched_endpoint", "url", 1},
		"an address elsewhere": {line("/v1/chat", "http://127.0.0.1/v1/chat"), "mismatched_endpoint", "url", 1},
		"no body":              {line(`,"body"`, `,"body":null}`+"\n"), "invalid_request", "body", 1},
		"no model":             {line(`"model":"m",`, ""), "invalid_request", "body.model", 1},
		"two models":           {lines("1") + line(`"m"`, `"n"`), "mismatched_model", "body.model", 2},
		"a stream":             {line(`"model"`, `"stream":true,"model"`), "invalid_request", "body.stream", 1},
	} {
		id := w.create("a", w.upload("a", row.content))
		r := w.await("a", id, "failed")
		errors, _ := r.fields["errors"].(map[string]any)
		data, _ := errors["data"].([]any)
		if len(data) == 0 {
			t.Errorf("%s: %s", name, r.text)
			continue
		}
		first, _ := data[0].(map[string]any)
		got, want := fmt.Sprint(first["code"]), row.code
		if row.param != "" || first["param"] != nil {
			got, want = got+fmt.Sprint(" ", first["param"]), want+" "+row.param
		}
		if row.line > 0 || first["line"] != nil {
			got, want = got+fmt.Sprint(" ", first["line"]), want+fmt.Sprint(" ", row.line)
		}
		if got != want || r.get("output_file_id")+r.get("error_file_id") != "" || len(data) > 50 {
			t.Errorf("%s: %s, want %s: %s", name, got, want, r.text)
		}
	}
	if len(w.ran) != 0 {
		t.Errorf("requests ran: %v", w.ran)
	}
}

// What the API does not do is refused by name.
func TestRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, batch.Limits{File: 1000})
	for name, row := range map[string]struct {
		fields  map[string]string
		content []byte
		want    string
	}{
		"another purpose": {map[string]string{"purpose": "fine-tune"}, []byte("{}"), "400 RequestUnreadable purpose"},
		"no purpose":      {nil, []byte("{}"), "400 RequestUnreadable purpose"},
		"no file":         {map[string]string{"purpose": "batch"}, nil, "400 RequestUnreadable file"},
		"another field":   {map[string]string{"purpose": "batch", "x": "y"}, nil, `400 RequestUnreadable "x"`},
		"too large":       {map[string]string{"purpose": "batch"}, make([]byte, 1001), "413 RequestTooLarge "},
		"far too large":   {map[string]string{"purpose": "batch"}, make([]byte, 1<<20), "413 RequestTooLarge "},
		"a short life": {map[string]string{"purpose": "batch", "expires_after[anchor]": "created_at",
			"expires_after[seconds]": "5"}, []byte("{}"), "400 RequestUnreadable expires_after.seconds"},
	} {
		contentType, body := form(row.fields, row.content)
		r := w.call("a", http.MethodPost, "/v1/files", contentType, body)
		if got := fmt.Sprint(r.status, " ", r.get("error.code"), " ", r.get("error.param")); got != row.want {
			t.Errorf("%s: %s, want %s: %s", name, got, row.want, r.text)
		}
	}
	contentType, body := form(map[string]string{"purpose": "batch"}, []byte("{}"))
	half := body[:len(body)/2]
	if r := w.call("a", http.MethodPost, "/v1/files", contentType, half); r.get("error.code") != "RequestBroken" {
		t.Errorf("half a form says %s", r.text)
	}
	file := w.upload("a", lines("1"))
	good := `{"input_file_id":"` + file + `","endpoint":"/v1/chat/completions","completion_window":"24h"}`
	for replacement, want := range map[[2]string]string{
		{"/v1/chat/completions", "/v1/images/generations"}: "400 RequestUnreadable endpoint",
		{"24h", "1h"}:                                                          "400 RequestUnreadable completion_window",
		{file, "file-../../etc/passwd"}:                                        "404 FileUnknown ",
		{file, "file-" + strings.Repeat("0", 32)}:                              "404 FileUnknown ",
		{`"endpoint"`, `"priority":1,"endpoint"`}:                              "400 RequestUnreadable ",
		{`"24h"`, `"24h","metadata":{"a":1}`}:                                  "400 RequestUnreadable ",
		{`"24h"`, `"24h","metadata":{"a":"` + strings.Repeat("x", 513) + `"}`}: "400 RequestUnreadable metadata",
		{`"24h"`, `"24h","output_expires_after":{"anchor":"created_at","seconds":1}`}: "400 RequestUnreadable " +
			"output_expires_after.seconds",
		{good, "["}:                         "400 RequestUnreadable ",
		{good, strings.Repeat(" ", 65<<10)}: "413 RequestTooLarge ",
	} {
		r := w.call("a", http.MethodPost, "/v1/batches", "application/json",
			strings.Replace(good, replacement[0], replacement[1], 1))
		if got := fmt.Sprint(r.status, " ", r.get("error.code"), " ", r.get("error.param")); got != want {
			t.Errorf("%.80q: %s, want %s: %s", replacement, got, want, r.text)
		}
	}
	for _, row := range [][3]string{{http.MethodPut, "/v1/files", "MethodNotAllowed"},
		{http.MethodGet, "/v1/files/..%2Flock/content", "FileUnknown"},
		{http.MethodGet, "/v1/files?limit=0", "RequestUnreadable"},
		{http.MethodGet, "/v1/batches?after=x", "RequestUnreadable"},
		{http.MethodDelete, "/v1/batches/x", "MethodNotAllowed"}} {
		if r := w.call("a", row[0], row[1], "", ""); r.get("error.code") != row[2] {
			t.Errorf("%s says %d %s", row, r.status, r.text)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(w.dir, "*.part")); len(left) != 0 {
		t.Errorf("refused uploads left %v", left)
	}
}

// A key fills its own storage and no more, in files, batches and answers; what it deletes is free again.
func TestStorageIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, batch.Limits{Storage: 200_000, KeyStorage: 100_000, Answer: 30_000, Concurrency: 1})
	w.answer = func(rw http.ResponseWriter, _ *http.Request, said string) {
		fmt.Fprintf(rw, `{"said":%q}`, strings.Repeat(said, 20_000))
	}
	id := w.create("a", w.upload("a", lines("1", "2", "3", "4", "5", "6", "7", "8")))
	r := w.await("a", id, "failed")
	good, _ := w.answers("a", r.get("output_file_id"))
	bad, _ := w.answers("a", r.get("error_file_id"))
	if !strings.Contains(r.text, "BatchStorageFull") || len(good) < 2 || len(good) > 5 || len(good)+len(bad) != 8 {
		t.Errorf("%d answers, %d refused, and %s", len(good), len(bad), r.text)
	}
	if runs := len(w.ran); runs != len(good) { // what is paid for is kept
		t.Errorf("%d requests ran, and %d answers are kept", runs, len(good))
	}
	contentType, body := form(map[string]string{"purpose": "batch"}, make([]byte, 70_000))
	if r := w.call("a", http.MethodPost, "/v1/files", contentType, body); r.get("error.code") != "BatchStorageFull" {
		t.Errorf("an upload says %s", r.text)
	}
	w.upload("b", strings.Repeat("x", 70_000)) // another key has its own
	size := int64(0)
	entries, _ := os.ReadDir(w.dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			size += info.Size()
		}
	}
	if size > 200_000 {
		t.Errorf("%d bytes are on disk", size)
	}
	if r := w.call("a", http.MethodDelete, "/v1/files/"+r.get("output_file_id"), "", ""); r.get("deleted") != "true" {
		t.Errorf("%s", r.text)
	}
	w.upload("a", strings.Repeat("x", 70_000))
}

// An answer that is too long ends its own line.
func TestLongAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, batch.Limits{Answer: 1 << 10})
	w.answer = func(rw http.ResponseWriter, r *http.Request, said string) {
		text := []byte(`{"said":"` + said)
		for said == "long" && r.Context().Err() == nil {
			if _, err := rw.Write(text); err != nil {
				return
			}
			text = bytes.Repeat([]byte("x"), 100)
		}
		fmt.Fprintf(rw, `{"said":%q}`, said)
	}
	r := w.await("a", w.create("a", w.upload("a", lines("long", "short"))), "completed")
	good, _ := w.answers("a", r.get("output_file_id"))
	bad, _ := w.answers("a", r.get("error_file_id"))
	if good["id short"] == "" || bad["id long"] != "answer_too_long" || w.runs("a long") != 1 {
		t.Errorf("answers %v, refused %v", good, bad)
	}
}

// The lines of keys take turns, however many one has.
func TestKeysTakeTurns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, batch.Limits{Concurrency: 2})
	free := make(chan struct{})
	started := make(chan string, 100)
	w.answer = func(rw http.ResponseWriter, _ *http.Request, said string) {
		started <- said
		<-free
		fmt.Fprint(rw, `{}`)
	}
	var many []string
	for i := range 50 {
		many = append(many, fmt.Sprint("a", i))
	}
	one := w.create("a", w.upload("a", lines(many...)))
	<-started
	<-started
	two := w.create("b", w.upload("b", lines("b0")))
	w.await("b", two, "in_progress")
	free <- struct{}{} // the next line is the other key's
	if said := <-started; said != "b0" {
		t.Errorf("%s is next", said)
	}
	close(free)
	w.await("a", one, "completed")
	w.await("b", two, "completed")
}
