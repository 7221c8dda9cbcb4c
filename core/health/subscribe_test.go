package health_test

import "testing"

func TestSubscribersGetChanges(t *testing.T) {
	t.Parallel()
	b := newBench()
	changed, end := b.Changed()
	for _, step := range []struct {
		what string
		do   func()
		want bool
	}{
		{"nothing", func() {}, false},
		{"set", func() { b.Set(noGPU, "x") }, true},
		{"set again", func() { b.Set(noGPU, "x") }, false},
		{"another detail, twice", func() { b.Set(noGPU, "y"); b.Set(noGPU, "z") }, true},
		{"cleared", func() { b.Clear(noGPU) }, true},
		{"cleared again", func() { b.Clear(noGPU) }, false},
		{"after the end", func() { end(); end(); b.Set(noGPU, "x") }, false},
	} {
		step.do()
		received := false
		select {
		case <-changed:
			received = true
		default:
		}
		if received != step.want {
			t.Errorf("%s: received %v", step.what, received)
		}
	}
}
