package orchestrate_test

import (
	"bytes"
	"encoding/gob"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/orchestrate"
)

// TestHandoverState: what one process keeps for download is there in its successor, after
// encoding and decoding.
func TestHandoverState(t *testing.T) {
	t.Parallel()
	left := orchestrate.HandoverState{
		Renditions: []orchestrate.KeptRendition{{Path: orchestrate.Path{Session: "0a0b0c0d", Dir: "P144p30fps16x9",
			Number: 7}, Result: orchestrate.Result{Data: []byte("ts"), Signature: []byte("sig")}}},
		Artifacts: []orchestrate.KeptArtifact{{Path: orchestrate.ArtifactPath{Job: "job", ID: "01020304",
			Ext: "png"}, Data: []byte("png"), At: time.Now()}},
	}
	var line bytes.Buffer
	if err := gob.NewEncoder(&line).Encode(left); err != nil {
		t.Fatal(err)
	}
	var got orchestrate.HandoverState
	if err := gob.NewDecoder(&line).Decode(&got); err != nil {
		t.Fatal(err)
	}
	n := newNode(t)
	n.RestoreHandover(got)
	r, err := n.Result(left.Renditions[0].Path)
	if err != nil || string(r.Data) != "ts" || string(r.Signature) != "sig" {
		t.Errorf("%v %+v", err, r)
	}
	if again := n.HandoverState(); len(again.Renditions) != 1 || len(again.Artifacts) != 1 ||
		string(again.Artifacts[0].Data) != "png" {
		t.Errorf("it has %+v to leave", again)
	}
}

// TestPause: new sessions are refused until it is undone, and a stop is not undone.
func TestPause(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.Pause()
	if !n.Draining() {
		t.Error("not draining")
	}
	n.Refuse()
	if !n.Resume() || n.Draining() {
		t.Error("not undone")
	}
	if err := n.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n.Resume() || !n.Draining() {
		t.Error("a stop was undone")
	}
}
