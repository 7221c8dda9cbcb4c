package responses_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/gateway/chatface"
	"github.com/tuttinode/tutti/server/gateway/chatface/responses"
	"github.com/tuttinode/tutti/test/coretest"
)

// noon is when tests begin.
var noon = time.Unix(1_800_000_000, 0) // Read-only.

// keys are the keys of a gateway that knows some tokens.
type keys []string

func (k keys) Required() bool { return len(k) > 0 }

func (k keys) Use(_ context.Context, token, _, _ string) error {
	for _, known := range k {
		if token == known {
			return nil
		}
	}
	return fault.New(fault.KeyUnknown, "check key", "this API key is not known here")
}

func (k keys) Owner(token string) apikeys.Hash { return apikeys.HashOf(token) }

var _ responses.Keys = (*apikeys.Guard)(nil) // Read-only.

// newFace makes a face of a gateway with the keys "a" and "b".
func newFace() (*responses.Face, *coretest.Clock) {
	return faceWith(responses.Options{Keys: keys{"a", "b"}})
}

func faceWith(o responses.Options) (*responses.Face, *coretest.Clock) {
	clock := coretest.NewClock(noon)
	o.Now, o.Rand = clock.Now, rand.NewChaCha8([32]byte{1})
	return responses.New(o), clock
}

// ask is a request of a key, "" for none.
func ask(f *responses.Face, key, body string) (chatface.Conversation, error) {
	r := httptest.NewRequest(http.MethodPost, responses.Path, nil)
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	return f.Request(r, []byte(body))
}

func mustAsk(t testing.TB, f *responses.Face, key, body string) chatface.Conversation {
	t.Helper()
	c, err := ask(f, key, body)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return c
}

// value is a JSON text as Go has it.
func value(t testing.TB, text []byte) any {
	t.Helper()
	var v any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if d.More() {
		t.Fatalf("more than one value: %s", text)
	}
	return v
}

// sameJSON compares two JSON texts.
func sameJSON(t testing.TB, name string, got []byte, want string) {
	t.Helper()
	if !reflect.DeepEqual(value(t, got), value(t, []byte(want))) {
		t.Errorf("%s:\n got %s\nwant %s", name, got, indented(want))
	}
}

func indented(text string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) != nil {
		return text
	}
	return b.String()
}

// fieldOf returns the field that a refusal names.
func fieldOf(t testing.TB, err error) string {
	t.Helper()
	if _, ok := errors.AsType[*fault.Fault](err); !ok {
		t.Fatalf("%v is no fault", err)
	}
	if _, text := fault.Public(err); !strings.HasPrefix(text, pipeline.FieldOf(err)) {
		t.Errorf("%q does not begin with the field %q", text, pipeline.FieldOf(err))
	}
	return pipeline.FieldOf(err)
}

// object is a response, as far as tests read it.
type object struct {
	ID, Object, Status string
	Store              bool
	Output             []outputItem
	Error              *struct{ Code, Message string }
	Incomplete         *struct{ Reason string } `json:"incomplete_details"`
	Usage              *struct {
		In    int64 `json:"input_tokens"`
		Out   int64 `json:"output_tokens"`
		Total int64 `json:"total_tokens"`
	}
	Previous *string `json:"previous_response_id"`
}

type outputItem struct {
	ID, Type, Status, Name, Arguments string
	CallID                            string `json:"call_id"`
	Content                           []outputPart
}

type outputPart struct {
	Type, Text, Refusal string
	Logprobs            []json.RawMessage
}

// answered maps a whole answer.
func answered(t testing.TB, c chatface.Conversation, chat string) object {
	t.Helper()
	_, body, err := c.Answer([]byte(chat))
	if err != nil {
		t.Fatal(err)
	}
	return readObject(t, body)
}

func readObject(t testing.TB, body []byte) (o object) {
	t.Helper()
	if err := json.Unmarshal(body, &o); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return o
}
