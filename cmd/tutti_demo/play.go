package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tuttinode/tutti/test/pushclient"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// stream is the name under which the source is pushed.
const stream = "demo"

// pages says first where there will be something to see.
func pages(out io.Writer, opt options, n *node) {
	if opt.mode == "run" {
		fmt.Fprintf(out, "\n  player and chat:  %s/?stream=%s\n  camera:           http://%s/\n  dashboard:        "+
			"http://%s/\n\n", n.gateway, stream, n.page, n.admin)
		fmt.Fprint(out, "They open in about half a minute, when all is started. Ctrl-C stops.\n\n")
	}
	for _, m := range n.moved {
		fmt.Fprintln(out, m)
	}
}

// announce says what there is to see and to use.
func announce(out io.Writer, n *node, m *model, c *chain) {
	fmt.Fprintf(out, "\n  the model %s is served by %s\n\n", m.id, m.how)
	snippets(out, n.gateway, m.id)
	fmt.Fprintf(out, "  watch the renditions, and chat:  %s/?stream=%s\n  your camera, transformed:        http://%s/\n"+
		"  playlist:                        %s/stream/%s.m3u8\n  the orchestrator:                curl -k %s\n",
		n.gateway, stream, n.page, n.gateway, stream, n.status)
	if c != nil {
		fmt.Fprintf(out, "  rounds, tickets and earnings:    http://%s/  (a round is %s)\n  as an operator:               "+
			"   bin/tutti_cli --url http://%s --token-file %s/admin.token\n  as the gateway's operator:       bin/tutti_cli "+
			"--url http://%s --token-file %s/admin.token\n",
			n.admin, time.Duration(roundBlocks)*blockTime, n.admin, n.dir, n.gatewayAdmin, n.gatewayDir)
	}
	fmt.Fprint(out, "\n  Ctrl-C stops.\n\n")
}

// play pushes the source in real time and prints one line per segment.
func play(ctx context.Context, n *node, source clip.Source, segments int, out io.Writer) error {
	begin := time.Now()
	var played time.Duration
	for count := 0; segments == 0 || count < segments; count++ {
		seg, err := source.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		// A segment of a live stream is whole only when its last frame is.
		played += seg.Duration
		if err := wait(ctx, time.Until(begin.Add(played))); err != nil {
			return err
		}
		answer, err := push(ctx, n.gateway, stream, seg)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			fmt.Fprintln(out, err)
			continue
		}
		fmt.Fprint(out, line(seg, answer))
	}
	return nil
}

func line(seg clip.Segment, a *pushclient.Answer) string {
	text := fmt.Sprintf("segment %4d  %.2f s  %5d kB  done in %4d ms (%4.1fx)", seg.Number,
		seg.Duration.Seconds(), len(seg.Data)/1000, a.Took.Milliseconds(), seg.Duration.Seconds()/a.Took.Seconds())
	for _, r := range a.Renditions {
		text += fmt.Sprintf("  %s %d kB", r.Name, len(r.Data)/1000)
	}
	return text + "\n"
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
