package manager_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/core/inference"
)

// What the operator says of a model comes before what its server reports, and of a model that is not loaded it is all
// that is known. A change of what the server reports is taken over.
func TestFeaturesOfAModel(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		reported := inference.Features{Has: inference.Tools | inference.JSONSchema, Lacks: inference.Vision}
		p := &program{slots: 4, features: reported, context: 4096}
		o := external(h, p, 0)
		stated := inference.Abilities{Context: 2048, Features: inference.Features{Has: inference.Vision,
			Lacks: inference.Tools}}
		o.Entries[0].Stated = stated
		cold := manager.Entry{Model: llm("cold"), Stated: stated, AssumedContext: 8192}
		r := begin(t, h, o)
		r.m.Replace(append(o.Entries, cold))
		after(time.Second)
		want := inference.Features{Has: inference.Vision | inference.JSONSchema, Lacks: inference.Tools}
		if s := r.state("a", inference.Ready, ""); s.Features != want || s.Context != 2048 {
			t.Errorf("%+v, %d tokens", s.Features, s.Context)
		}
		if s := r.state("cold", inference.Absent, ""); s.Features != stated.Features || s.Context != 2048 {
			t.Errorf("not loaded: %+v, %d tokens", s.Features, s.Context)
		}
		h.change("http://one:8000", func(p *program) { p.features = inference.Features{Lacks: inference.JSONSchema} })
		after(5 * time.Second)
		want = inference.Features{Has: inference.Vision, Lacks: inference.Tools | inference.JSONSchema}
		if s := r.state("a", inference.Ready, ""); s.Features != want {
			t.Errorf("after a change: %+v", s.Features)
		}
		r.end()
	})
}

// A job may get any runner of its model, so only what holds for all is offered.
func TestFeaturesOfTwoRunners(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		o := external(h, &program{slots: 1, context: 4096,
			features: inference.Features{Has: inference.Tools | inference.JSONSchema, Lacks: inference.AudioInput}}, 0)
		h.servers["http://two:8000"] = &program{slots: 1, context: 8192,
			features: inference.Features{Has: inference.JSONSchema, Lacks: inference.Tools | inference.AudioInput}}
		o.Entries = append(o.Entries, manager.Entry{Model: llm("a"), URL: "http://two:8000", Warm: true})
		r := begin(t, h, o)
		after(time.Second)
		want := inference.Features{Has: inference.JSONSchema, Lacks: inference.AudioInput}
		if s := r.state("a", inference.Ready, ""); s.Features != want || s.Context != 4096 || s.Capacity != 2 {
			t.Errorf("%+v", s)
		}
		r.end()
	})
}
