package models

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// WriteCheck writes one row per entry: position, model, start mode, price, GPUs and image.
// image names the container image of an entry, "" if unknown; nil uses only images that
// entries name.
func (c *Config) WriteCheck(w io.Writer, image func(*Entry) string) error {
	if c.Empty() && len(c.Refused) == 0 {
		_, err := io.WriteString(w, "No AI models: none is advertised.\n")
		return err
	}
	var b strings.Builder
	tabs := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(cells ...string) { _, _ = fmt.Fprintln(tabs, strings.Join(cells, "\t")) }
	row("AI models", "pipeline", "model", "start", "price", "GPU", "runner")
	for i := range c.Entries {
		e := &c.Entries[i]
		row(
			"  "+e.Position.ref(),
			e.Model.Capability.Pipeline(),
			e.Model.ID,
			e.startText(),
			e.prices(),
			e.devices(),
			e.runnerText(image),
		)
	}
	for _, r := range c.Refused {
		row("  "+r.Position.ref(), dash(r.Pipeline), dash(r.ModelID), "refused", "-", "-", "-")
	}
	_ = tabs.Flush()
	_, err := io.WriteString(w, b.String())
	return err
}

// startText is warm, cold or external, with the number where there are several.
func (e *Entry) startText() string {
	switch n := e.Containers(); {
	case e.External() && e.Capacity > 0:
		return "external, " + count(e.Capacity, "job")
	case e.External():
		return "external"
	case n > 1:
		return startMode(e.Warm) + " ×" + strconv.Itoa(n)
	}
	return startMode(e.Warm)
}

func (e *Entry) prices() string {
	var all []string
	for _, p := range e.Prices {
		text := p.Price.String()
		if !p.Gateway.IsZero() {
			text += " for " + p.Gateway.String()
		}
		all = append(all, text)
	}
	if len(all) == 0 {
		return "free"
	}
	return strings.Join(all, ", ")
}

// devices describes the devices and memory that a container needs.
func (e *Entry) devices() string {
	if e.External() {
		return "-"
	}
	text := count(e.GPUs.Count, "device")
	if len(e.GPUs.IDs) > 0 {
		text = "device " + e.GPUs.String()
	}
	if e.VRAM > 0 {
		text += ", " + gigabytes(e.VRAM)
	}
	if share := e.MemoryShare(); share > 0 {
		text += ", " + strconv.FormatFloat(share*100, 'g', 4, 64) + " % of memory"
	}
	return text
}

// runnerText returns the image, or the address and the model's name there.
func (e *Entry) runnerText(image func(*Entry) string) string {
	if e.External() {
		if e.ServedModel != "" {
			return e.URL + " as " + e.ServedModel
		}
		return e.URL
	}
	if e.Image != "" {
		return e.Image
	}
	if image == nil {
		return "image of the pipeline"
	}
	return dash(image(e))
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
