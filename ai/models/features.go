package models

import (
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// maxContext bounds a stated context, in tokens.
const maxContext = 1 << 30

// readFeatures reads what the operator says the model can do. It comes before what its server reports.
func readFeatures(d *draft, v node) {
	known := append(inference.Parameters.Words(), inference.ContextWord)
	seen := make(map[string]bool)
	for _, m := range v.members {
		bad := func(text, remedy string) { d.reject(fault.ModelFieldInvalid, m.value, "features", text, remedy) }
		feature := inference.FeaturesNamed([]string{m.name}) & inference.Parameters
		switch {
		case seen[m.name]:
			bad(quoted(m.name)+" is given twice", "keep one of the two")
		case m.value.kind == isNull:
		case m.name == inference.ContextWord:
			n, ok := whole(m.value.text, maxContext)
			if m.value.kind != isNumber || !ok {
				bad("the context "+m.value.short()+" is not a whole number of tokens from 1 to 1073741824",
					`write "context": 32768`)
				return
			}
			d.entry.Features.Context = inference.Tokens(n)
		case feature == 0:
			bad(quoted(m.name)+" is no feature", "write some of "+list(known))
		case m.value.kind != isBool:
			bad(quoted(m.name)+" is "+m.value.short()+", not true or false", "write true or false, without quotes")
		case m.value.text == "true":
			d.entry.Features.Has |= feature
		default:
			d.entry.Features.Lacks |= feature
		}
		seen[m.name] = true
	}
	if d.pipeline.Capability != 0 && d.pipeline.Capability != capability.LLM {
		d.noticeAt(v, "features", "only models of llm have features, it is ignored")
		d.entry.Features = inference.Abilities{}
	}
	if d.entry.Remote {
		d.noticeAt(v, "features", "the workers that run the model state its features, it is ignored")
		d.entry.Features = inference.Abilities{}
	}
}
