package models

import (
	"strings"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// draft is an entry while it is read.
type draft struct {
	l        *loader
	position Position
	node     node
	// inline says that it has no JSON, so that remedies name options instead.
	inline bool
	// given are the fields that the entry has, by their proper name. A field that is
	// null is not among them.
	given map[string]node

	entry    Entry
	pipeline Pipeline
	price    priceDraft
	// flagLines are the lines of the variables of optimization_flags.
	flagLines map[string]int
	// external: it names a server, if perhaps a wrong one.
	external bool
	// refused: it has a problem. merged: it is a price of another entry.
	refused, merged bool
}

// read fills the entry and reports every mistake in its own fields.
func (d *draft) read() {
	d.entry.Position = d.position
	d.entry.GPUs.Count = 1
	d.collect()
	for _, f := range fields() {
		if v, ok := d.given[f.name]; ok && d.fits(f, v) {
			f.read(d, v)
		}
	}
	d.finish()
}

// collect sorts the members by name and reports unknown ones.
func (d *draft) collect() {
	d.given = map[string]node{}
	all := fields()
	for _, m := range d.node.members {
		name := properName(all, m.name)
		before, twice := d.given[name]
		switch {
		case name == "":
			d.noticeUnknown(all, m)
		case m.value.kind == isNull:
			d.noticeAt(m.value, name, "null counts as left out")
		case twice && (before.kind != m.value.kind || before.text != m.value.text ||
			before.kind == isObject || before.kind == isArray):
			d.reject(fault.ModelFieldInvalid, m.value, name, "it is given twice", "keep one of the two")
		default:
			d.given[name] = m.value
		}
	}
}

// properName finds a field whatever the case of its letters, as the existing node
// does; "" when there is none.
func properName(all []field, name string) string {
	for _, f := range all {
		if strings.EqualFold(f.name, name) {
			return f.name
		}
	}
	return ""
}

func (d *draft) noticeUnknown(all []field, m member) {
	names := make([]string, len(all))
	for i, f := range all {
		names[i] = f.name
	}
	text := "there is no such field, it is ignored"
	if len(d.l.notices) >= maxNotices {
		return
	}
	if near, _ := fault.SuggestName(m.name, names); near != "" {
		text += "; did you mean " + near + "?"
	}
	d.noticeAt(m.value, clean(m.name), text)
}

// fits reports whether a value has a type that the field accepts, else it rejects it.
func (d *draft) fits(f field, v node) bool {
	for _, k := range f.kinds {
		if v.kind == k {
			return true
		}
	}
	names := make([]string, len(f.kinds))
	for i, k := range f.kinds {
		names[i] = string(k)
	}
	what := "it is " + string(v.kind)
	if v.kind == isBool {
		what = "it is " + v.text
	}
	if d.inline {
		what = quoted(v.text) + " is"
	}
	code := fault.ModelFieldInvalid
	if f.money {
		code = fault.ModelPriceInvalid
	}
	if d.inline {
		remedy := "write " + clean(d.pipelineText()) + ":" + clean(d.modelText()) + ":true"
		d.reject(code, v, f.name, what+" not "+list(names), remedy)
		return false
	}
	d.reject(code, v, f.name, what+", not "+list(names), "write "+f.example)
	return false
}

// reject refuses the entry for a mistake in one of its fields.
func (d *draft) reject(code fault.Code, at node, name, text, remedy string) {
	d.refused = true
	position := d.position
	if at.line > 0 {
		position.Line = at.line
	}
	model := clean(strings.TrimSpace(d.pipelineText() + " " + d.modelText()))
	d.l.addProblem(&Problem{Code: code, Position: position, Field: name, Model: model, Text: text, Remedy: remedy})
}

// rejectEntry refuses the entry for a mistake of the whole entry.
func (d *draft) rejectEntry(code fault.Code, name, text, remedy string) {
	d.reject(code, d.node, name, text, remedy)
}

// maxNotices bounds the notices about one file.
const maxNotices = 200

func (d *draft) noticeAt(at node, name, text string) {
	position := d.position
	if at.line > 0 {
		position.Line = at.line
	}
	if len(d.l.notices) < maxNotices {
		d.l.notices = append(d.l.notices, Notice{Position: position, Field: name, Text: text})
	}
}

func (d *draft) notice(name, text string) { d.noticeAt(d.node, name, text) }

// text returns a field's text as it was given, "" when it was not or is no string.
func (d *draft) text(name string) string {
	if v := d.given[name]; v.kind == isString {
		return v.text
	}
	return ""
}

func (d *draft) pipelineText() string { return d.text("pipeline") }
func (d *draft) modelText() string    { return d.text("model_id") }

// model returns what the entry serves; it is false when that, or whether it is to be
// warm, could not be read.
func (d *draft) model() (inference.Model, bool) {
	warm, given := d.given["warm"]
	return d.entry.Model, d.pipeline.Capability != 0 && d.entry.Model.ID != "" && (!given || warm.kind == isBool)
}
