package gateway

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// hookService is an operator's service that lists orchestrators: one address, or it never answers.
type hookService struct {
	address string
	calls   int
	takes   time.Duration
}

func (h *hookService) RoundTrip(r *http.Request) (*http.Response, error) {
	h.calls++
	timer := time.NewTimer(h.takes)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	body := io.NopCloser(bytes.NewBufferString(`[{"address":"` + h.address + `"}]`))
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: body, Request: r}, nil
}

func (h *hookService) hookList() *hookList {
	client := &http.Client{Transport: h}
	return newHookList("http://hook.test", nil, client, time.Now, slog.New(slog.DiscardHandler))
}

const oldOrchestrator, newOrchestrator = "https://old.test:8935", "https://new.test:8935"

// TestAClientThatLeavesKeepsNoOldList: the list is for all; a client that leaves while the service answers does not
// make the gateway keep the old one for another minute.
func TestAClientThatLeavesKeepsNoOldList(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := &hookService{address: oldOrchestrator}
		list := h.hookList()
		if got, err := list.list(t.Context()); err != nil || !slices.Equal(got, []string{oldOrchestrator}) {
			t.Fatal(got, err)
		}
		<-time.After(2 * listFresh)
		h.address, h.takes = newOrchestrator, time.Second
		leaving, leave := context.WithTimeout(t.Context(), time.Millisecond)
		defer leave()
		_, _ = list.list(leaving)
		if got, err := list.list(t.Context()); err != nil || !slices.Equal(got, []string{newOrchestrator}) {
			t.Errorf("%v after a client left, %v", got, err)
		}
	})
}

// TestASlowListHoldsNoClients: while the service takes its time, clients go on with the list that there is. Where there
// is none, they wait for one call together, and no longer than they want.
func TestASlowListHoldsNoClients(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := &hookService{address: oldOrchestrator, takes: time.Hour}
		list := h.hookList()
		begun := time.Now()
		var clients sync.WaitGroup
		for range 20 {
			clients.Go(func() {
				if _, err := list.list(t.Context()); fault.CodeOf(err) != fault.OrchestratorList {
					t.Errorf("a client without a list: %v", err)
				}
			})
		}
		synctest.Wait()
		leaving, leave := context.WithTimeout(t.Context(), time.Millisecond)
		defer leave()
		if _, err := list.list(leaving); !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) >= time.Second {
			t.Errorf("a client that leaves after a millisecond waited %v: %v", time.Since(begun), err)
		}
		clients.Wait()
		if took := time.Since(begun); took > hookTimeout || h.calls != 1 {
			t.Errorf("%d calls for clients that came together and waited %v", h.calls, took)
		}

		h.takes = 0
		if _, err := list.list(t.Context()); err != nil {
			t.Fatal(err)
		}
		<-time.After(2 * listFresh)
		h.takes, begun = time.Hour, time.Now()
		clients.Go(func() { _, _ = list.list(t.Context()) })
		synctest.Wait()
		if got, err := list.list(t.Context()); err != nil || len(got) != 1 || time.Since(begun) > 0 {
			t.Errorf("%v after %v while the service is slow, %v", got, time.Since(begun), err)
		}
		clients.Wait()
	})
}
