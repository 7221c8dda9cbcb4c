package docker

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/moby/moby/api/types/jsonstream"
)

const (
	// maxMessage bounds one message of a pull, maxLayers the counted layers: an image has
	// 127 at most.
	maxMessage = 64 << 10
	maxLayers  = 1000
)

// Progress is the progress of a pull.
type Progress struct {
	Image string
	// Done and Total are bytes; the total grows while layers begin.
	Done, Total int64
	// Ready of Layers are unpacked.
	Ready, Layers int
}

// String is "42 % of 6.1 GB", "" while nothing is known.
func (p Progress) String() string {
	switch {
	case p.Total > 0:
		return fmt.Sprintf("%d %% of %s", int(float64(p.Done)/float64(p.Total)*100), size(p.Total))
	case p.Layers > 0:
		return fmt.Sprintf("%d of %d layers", p.Ready, p.Layers)
	}
	return ""
}

func size(n int64) string {
	switch f := float64(n); {
	case f >= 1e9:
		return fmt.Sprintf("%.1f GB", f/1e9)
	case f >= 1e6:
		return fmt.Sprintf("%.0f MB", f/1e6)
	}
	return fmt.Sprintf("%.0f kB", float64(n)/1e3)
}

// layer is one layer's part of a pull.
type layer struct {
	done, total int64
	ready       bool
}

// tally adds up a pull's messages.
type tally struct {
	layers map[string]*layer
}

// errPull is an error that the engine reports during a pull.
type errPull struct{ text string }

func (e *errPull) Error() string { return e.text }

// follow reads a pull's messages to the end and reports each change. The message of a
// failed pull becomes the error.
func follow(r io.Reader, image string, report func(Progress)) error {
	t := tally{layers: make(map[string]*layer)}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4<<10), maxMessage)
	last := ""
	for lines.Scan() {
		text := strings.TrimSpace(lines.Text())
		if text == "" {
			continue
		}
		p, err := t.add(text)
		if err != nil {
			return err
		}
		p.Image = image
		if now := p.String(); now != last {
			last = now
			report(p)
		}
	}
	return lines.Err()
}

// add counts one message.
func (t *tally) add(text string) (Progress, error) {
	var m struct {
		jsonstream.Message
		// Old engines and proxies send only this.
		Plain string `json:"error"`
	}
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return Progress{}, errors.New("the engine's report of the pull cannot be read")
	}
	if m.Error != nil && m.Error.Message != "" {
		return Progress{}, &errPull{m.Error.Message}
	}
	if m.Plain != "" {
		return Progress{}, &errPull{m.Plain}
	}
	t.layer(m.Message)
	return t.sum(), nil
}

func (t *tally) layer(m jsonstream.Message) {
	if m.ID == "" || !layerStatus(m.Status) {
		return
	}
	l := t.layers[m.ID]
	if l == nil {
		if len(t.layers) >= maxLayers {
			return
		}
		l = &layer{}
		t.layers[m.ID] = l
	}
	switch m.Status {
	case "Downloading":
		if p := m.Progress; p != nil && p.Total > 0 && p.Current >= 0 {
			l.total = p.Total
			l.done = min(p.Current, p.Total)
		}
	case "Verifying Checksum", "Download complete", "Extracting":
		l.done = l.total
	case "Pull complete", "Already exists":
		l.done, l.ready = l.total, true
	}
}

// layerStatus distinguishes messages about layers from "Pulling from …", whose ID is the
// tag.
func layerStatus(status string) bool {
	switch status {
	case "Pulling fs layer", "Waiting", "Downloading", "Verifying Checksum", "Download complete",
		"Extracting", "Pull complete", "Already exists":
		return true
	}
	return false
}

func (t *tally) sum() (p Progress) {
	for _, l := range t.layers {
		p.Layers++
		if l.ready {
			p.Ready++
		}
		// Sums of hostile numbers stop growing instead of overflowing.
		if p.Total+l.total >= p.Total {
			p.Done += l.done
			p.Total += l.total
		}
	}
	return p
}
