package rpc_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/server/rpc"
)

// readVectors reads a file of test/vectors.
func readVectors(t testing.TB, name string, v any) {
	t.Helper()
	data, err := os.ReadFile("../../test/vectors/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// hexBytes is "0x…" in a vector.
type hexBytes []byte

func (h *hexBytes) UnmarshalText(text []byte) error {
	b, err := hex.DecodeString(strings.TrimPrefix(string(text), "0x"))
	*h = b
	return err
}

// checkBytes compares a message's deterministic encoding, and what decoding the
// vector gives, with what is expected.
func checkBytes(t *testing.T, message proto.Message, want []byte) {
	t.Helper()
	got, err := proto.MarshalOptions{Deterministic: true}.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("encoded\n%x, want\n%x", got, want)
	}
	read := message.ProtoReflect().New().Interface()
	if err := proto.Unmarshal(want, read); err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(read, message) {
		t.Errorf("decoded\n%v, want\n%v", read, message)
	}
	if n := len(read.ProtoReflect().GetUnknown()); n != 0 {
		t.Errorf("%d bytes of unknown fields", n)
	}
}

// vectorToken is the auth token that stands in all vectors.
func vectorToken(t testing.TB) *rpc.AuthToken {
	t.Helper()
	var v struct {
		Expiration int64
		Session    string `json:"session_id"`
		Token      hexBytes
	}
	readVectors(t, "auth_token.json", &v)
	return &rpc.AuthToken{Token: v.Token, SessionId: v.Session, Expiration: v.Expiration}
}

func TestAuthTokenVector(t *testing.T) {
	t.Parallel()
	var v struct {
		Proto hexBytes `json:"auth_token_proto_hex"`
	}
	readVectors(t, "auth_token.json", &v)
	checkBytes(t, vectorToken(t), v.Proto)
}
