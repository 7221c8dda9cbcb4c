package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/server/trickle"
)

// What a runner does with its input.
const (
	hold  = "hold"  // nothing: this program reads and writes the channels itself
	echo  = "echo"  // sends it back while it grows
	whole = "whole" // sends a segment back when it is complete, as models do that take whole segments
)

// statusEvery is how often a runner reports its state.
const statusEvery = 5 * time.Second

// runner is a stand-in by the network's contract.
type runner struct {
	life context.Context
	mode string
	busy atomic.Int64
	http *http.Client
}

// serveRunner runs one: runner <listen> <mode>.
func serveRunner(ctx context.Context, args []string) error {
	r := &runner{life: ctx, mode: args[1], http: trickle.NewHTTPClient(selfSigned, nil)}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", args[0])
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) {
		status := "OK"
		if r.busy.Load() == 0 {
			status = "IDLE"
		}
		_, _ = fmt.Fprintf(w, `{"status":%q}`, status)
	})
	mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"pipeline":"live-video-to-video","model_id":"noop","version":"0.14.1"}`)
	})
	mux.HandleFunc("GET /hardware/info", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"pipeline":"live-video-to-video","model_id":"noop","gpu_info":{}}`)
	})
	mux.HandleFunc("POST /live-video-to-video", r.start)
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	defer context.AfterFunc(ctx, func() { _ = srv.Close() })()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (r *runner) start(w http.ResponseWriter, q *http.Request) {
	var c channels
	if err := json.NewDecoder(q.Body).Decode(&c); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if r.mode != hold {
		r.busy.Add(1)
		go func() { // ends with its input, or the process
			defer r.busy.Add(-1)
			r.pass(&c)
		}()
	}
	_, _ = io.WriteString(w, "{}")
}

// pass sends the input back until it is closed.
func (r *runner) pass(c *channels) {
	ctx, cancel := context.WithCancel(r.life)
	defer cancel()
	fromStart := trickle.ClientOptions{Client: r.http, FromStart: true}
	in, out := trickle.NewSubscriber(c.Subscribe, fromStart), trickle.NewPublisher(c.Publish, fromStart)
	defer in.Close()
	out.Connect(ctx)
	reported := make(chan struct{})
	go func() { defer close(reported); r.report(ctx, trickle.NewPublisher(c.Events, fromStart)) }()
	for {
		s, err := in.Next(ctx)
		if err != nil {
			break
		}
		if to, err := out.Next(ctx); err == nil {
			r.copy(to, s)
			_ = to.Close() // a broken one is lost
		}
		_ = s.Close() // it was only read
	}
	cancel()
	<-reported
}

func (r *runner) copy(to io.Writer, from io.Reader) {
	if r.mode == whole {
		data, err := io.ReadAll(from)
		if err != nil {
			return
		}
		from = bytes.NewReader(data)
	}
	_, _ = io.Copy(to, from)
}

// report sends the runner's state every so often.
func (r *runner) report(ctx context.Context, events *trickle.Publisher) {
	for {
		e, err := events.Next(ctx)
		if err != nil {
			return
		}
		_, _ = io.WriteString(e, `{"type":"status","state":"ONLINE","inference_status":{"fps":30}}`)
		_ = e.Close() // the next one follows
		if !pause(ctx, statusEvery) {
			return
		}
	}
}

// runner starts one.
func (s settings) runner(mode string) (p *process, addr string, err error) {
	addr = freeAddress()
	p, err = s.self("runner", addr, mode)
	return p, addr, err
}
