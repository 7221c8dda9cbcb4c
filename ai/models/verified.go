package models

import (
	"bytes"
	_ "embed" // for the shipped list
	"strings"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
)

// shippedJSON is the list of verified models that comes with the node.
//
//go:embed verified.json
var shippedJSON []byte

// maxVerified bounds the IDs in an operator's own list.
const maxVerified = 10_000

// Verified are the verified model IDs by pipeline. IDs are compared byte for byte, as peers
// do.
type Verified map[capability.ID][]string

// Shipped returns a copy of the list that comes with the node.
func Shipped() Verified {
	v := Verified{}
	// A test checks the shipped list.
	_ = v.extend("verified.json", shippedJSON)
	return v
}

// Has reports whether a model is in the list.
func (v Verified) Has(id capability.ID, model string) bool {
	for _, m := range v[id] {
		if m == model {
			return true
		}
	}
	return false
}

// checkVerified refuses a model that is not in the list, unless -aiAllowUnverified takes any. The fault is
// ModelUnverified.
func (d *draft) checkVerified(v node) {
	if d.pipeline.Capability == 0 || d.l.options.AllowUnverified || d.l.verified.Has(d.pipeline.Capability, v.text) {
		return
	}
	remedy := "use a verified one, add it with -aiVerifiedModels or give -aiAllowUnverified"
	if d.l.full() {
		d.refused = true
		return
	}
	if near, _ := fault.SuggestName(v.text, d.l.verified[d.pipeline.Capability]); near != "" {
		remedy = "did you mean " + near + "? -aiVerifiedModels adds others, -aiAllowUnverified takes any"
	}
	d.reject(fault.ModelUnverified, v, "model_id",
		quoted(v.text)+" is not in the list of verified "+d.pipeline.Name()+" models", remedy)
}

// extend adds the content of a list: a JSON object of lists by pipeline, or lines
// of pipeline and model ID with comments after "#".
func (v Verified) extend(source string, content []byte) Problems {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	if t := bytes.TrimSpace(content); len(t) > 0 && (t[0] == '{' || t[0] == '[') {
		return v.extendJSON(source, content)
	}
	return v.extendLines(source, content)
}

func (v Verified) extendJSON(source string, content []byte) (problems Problems) {
	addProblem := func(line, column int, text, remedy string) {
		problems = append(problems, &Problem{
			Code: fault.VerifiedListInvalid, Position: Position{Source: source, Line: line, Column: column},
			Text: text, Remedy: remedy,
		})
	}
	if s := checkSyntax(content); s != nil {
		addProblem(s.line, s.column, s.text, s.remedy)
		return problems
	}
	root, err := parseTree(content)
	if err != nil {
		addProblem(0, 0, err.Error(), "shorten the file")
		return problems
	}
	const form = `write {"llm": ["org/model", …], …}`
	if root.kind != isObject {
		addProblem(root.line, 0, "it is "+string(root.kind)+", not an object", form)
		return problems
	}
	for _, m := range root.members {
		if m.value.kind != isArray {
			addProblem(m.line, 0, quoted(m.name)+" is "+string(m.value.kind)+", not an array", form)
			continue
		}
		if _, ok := pipelineNamed(m.name); !ok {
			addProblem(m.line, 0, unknownPipeline(m.name), pipelineRemedy(m.name))
			continue
		}
		for _, item := range m.value.items {
			if item.kind != isString {
				addProblem(item.line, 0, "a model ID is "+string(item.kind)+", not a string", form)
				continue
			}
			if text := v.add(m.name, item.text); text != "" {
				addProblem(item.line, 0, text, "correct or delete it")
			}
		}
	}
	return problems
}

func (v Verified) extendLines(source string, content []byte) (problems Problems) {
	number := 0
	for raw := range bytes.Lines(content) {
		number++
		text, _, _ := strings.Cut(string(raw), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		p := &Problem{Code: fault.VerifiedListInvalid, Position: Position{Source: source, Line: number}}
		switch _, known := pipelineNamed(words[0]); {
		case len(words) != 2:
			p.Text, p.Remedy = "this is not a pipeline and a model ID", "write llm org/model"
		case !known:
			p.Text, p.Remedy = unknownPipeline(words[0]), pipelineRemedy(words[0])
		default:
			p.Text, p.Remedy = v.add(words[0], words[1]), "correct or delete it"
		}
		if p.Text == "" {
			continue
		}
		if problems = append(problems, p); len(problems) == maxProblems {
			return problems
		}
	}
	return problems
}

// add adds one ID of an existing pipeline, or returns why it cannot.
func (v Verified) add(pipeline, model string) string {
	if text := badModelID(model); text != "" {
		return text
	}
	total := 0
	for _, ids := range v {
		total += len(ids)
	}
	if total >= maxVerified {
		return "more than 10000 model IDs"
	}
	p, _ := pipelineNamed(pipeline)
	v[p.Capability] = append(v[p.Capability], model)
	return ""
}

func unknownPipeline(name string) string { return quoted(name) + " is no pipeline" }

func pipelineRemedy(name string) string {
	if near, _ := fault.SuggestName(name, pipelineNames()); near != "" {
		return "did you mean " + near + "?"
	}
	return "write " + list(pipelineNames())
}
