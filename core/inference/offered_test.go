package inference_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/inference"
)

// A model that one member should have and has not is had from the other.
func TestAModelThatCanBeHadIsOffered(t *testing.T) {
	for _, first := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			broken, cold := newMember("broken", inference.Starting, 0), newMember("cold", inference.Absent, 1)
			broken.state.Warm, broken.state.External = true, true
			f := inference.NewFleet(broken, cold)
			if !first {
				f = inference.NewFleet(cold, broken)
			}
			if s := f.Models()[0]; !s.Offered() || s.State != inference.Absent || s.Warm || s.External {
				t.Errorf("%+v", s)
			}
			got := make(chan string, 1)
			go func() {
				s, err := f.Reserve(t.Context(), model("m"), "p")
				got <- took(t, s, err)
				s.Release()
			}()
			pass(time.Second)
			select {
			case name := <-got:
				if name != "cold" {
					t.Error(name)
				}
			default:
				t.Error("it waits for a worker that cannot start it")
				broken.become(inference.Ready, 1)
				<-got
			}
		})
	}
}
