package pool_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/transcoder/pool"
)

// refusing are devices that refuse the sessions of every party whose name begins with "huge".
func refusing(t *testing.T, p *pool.Pool, code fault.Code, n int, o device.Resources) {
	t.Helper()
	for i := range n {
		f := &coretest.Fake{Name: fmt.Sprint(i)}
		f.On = func(_ context.Context, _ int, job *core.TranscodeJob) error {
			if len(job.Party) > 3 && job.Party[:4] == "huge" {
				return fault.New(code, "open", "")
			}
			return nil
		}
		if _, err := p.Attach(f, o); err != nil {
			t.Fatal(err)
		}
	}
}

func requestOf(party, id string, renditions int) core.SessionRequest {
	r := request(id, renditions)
	r.Party = party
	return r
}

func sendOf(t *testing.T, p *pool.Pool, party, id string, renditions int) error {
	t.Helper()
	j := job(id, 0, renditions)
	j.Party = party
	_, err := p.Transcode(t.Context(), j)
	return err
}

// A stream that needs more of a GPU than any GPU has (frames and renditions of the largest sizes) is
// refused by each device that it is tried on. That says nothing about the sessions of others.
func TestAStreamThatFitsNowhereTakesNoDevice(t *testing.T) {
	t.Parallel()
	memory := device.Resources{Memory: 1000, SessionMemory: 100, RenditionMemory: 50}
	for name, test := range map[string]struct {
		code  fault.Code
		offer device.Resources
	}{
		"memory":               {fault.GPUOutOfMemory, memory},
		"memory of a remote":   {fault.GPUOutOfMemory, device.Resources{Remote: true, Sessions: 10}},
		"encoders":             {fault.EncoderSessionsExhausted, device.Resources{EncoderSessions: 8}},
		"encoders of a remote": {fault.EncoderSessionsExhausted, device.Resources{Remote: true, Sessions: 10}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				free := func(string) (int64, time.Time, bool) { return 1000, time.Now(), true }
				p := pool.New(nil, pool.Options{MaxSessions: 100, FreeMemory: free})
				defer p.Close()
				refusing(t, p, test.code, 3, test.offer)
				if err := sendOf(t, p, "huge", "h", 2); fault.CodeOf(err) != test.code {
					t.Fatal(err)
				}
				p.EndSession("h")
				for s := range 3 {
					id := fmt.Sprint("honest", s)
					if err := p.Admit(requestOf("honest", id, 2)); err != nil {
						t.Errorf("another party's session: %v", err)
					}
					if err := sendOf(t, p, "honest", id, 2); err != nil {
						t.Error(err)
					}
				}
				if u := p.Usage(); u.Full() {
					t.Errorf("full: %+v", u)
				}
				if err := p.Admit(requestOf("huge", "again", 2)); fault.CodeOf(err) != fault.OrchestratorCapped {
					t.Errorf("its next session: %v", err)
				}
				<-time.After(6 * time.Minute)
				if err := p.Admit(requestOf("huge", "later", 2)); err != nil {
					t.Errorf("its session later: %v", err)
				}
			})
		})
	}
}

// A device that refuses sessions of several parties has less than was measured.
func TestADeviceThatRefusesSeveralPartiesIsLearnedFrom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pool.New(nil, pool.Options{MaxSessions: 100})
		defer p.Close()
		refusing(t, p, fault.EncoderSessionsExhausted, 1, device.Resources{EncoderSessions: 8})
		if err := sendOf(t, p, "honest", "first", 2); err != nil {
			t.Fatal(err)
		}
		for n := range 3 {
			party := fmt.Sprint("huge", n)
			if err := p.Admit(requestOf("other", fmt.Sprint("other", n), 2)); err != nil {
				t.Errorf("after %d parties: %v", n, err)
			}
			p.EndSession(core.SessionID(fmt.Sprint("other", n)))
			if err := sendOf(t, p, party, party, 2); fault.CodeOf(err) != fault.EncoderSessionsExhausted {
				t.Error(err)
			}
			p.EndSession(core.SessionID(party))
		}
		wantRefusal(t, p.Admit(requestOf("other", "other", 2)), fault.OrchestratorCapped, "2 of 2 encoder sessions in use")
		<-time.After(6 * time.Minute)
		if err := p.Admit(requestOf("other", "other", 2)); err != nil {
			t.Error(err)
		}
	})
}
