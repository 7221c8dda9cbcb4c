package models

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
)

// The optimizations of image pipelines.
const (
	sfast     = "SFAST"
	deepCache = "DEEPCACHE"
)

// maxFlags bounds a container's environment, and maxFlagBytes a value in it.
const (
	maxFlags     = 100
	maxFlagBytes = 4096
)

// variableName matches names of environment variables.
func variableName() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`) }

// ourVariables are set by the node: an entry that set them would make a runner serve another
// model than the advertised one.
func ourVariables() []string { return []string{"PIPELINE", "MODEL_ID", "HOST", "PORT"} }

// knownVariables returns what the network's runners read.
func knownVariables() []string {
	return append(llmVariables(), sfast, deepCache, "SFAST_WARMUP", "SAFETY_CHECKER_DEVICE", "BFLOAT16", "TORCH_COMPILE",
		"BACKEND", "VERBOSE_LOGGING", "AUTH_TOKEN", "HF_TOKEN", "MODEL_DIR", "HUGGINGFACE_HUB_CACHE", "CUDA_DEVICE_ORDER")
}

// flagSeparators separate names in the string form.
func flagSeparators() *regexp.Regexp { return regexp.MustCompile(`[\s,+|]+`) }

// readFlags takes both forms: a string that names an optimization, or an object
// of variables.
func readFlags(d *draft, v node) {
	if v.kind == isObject {
		for _, m := range v.members {
			d.readVariable(m)
		}
		return
	}
	for _, word := range flagSeparators().Split(v.text, -1) {
		switch name := strings.ToUpper(word); name {
		case "":
		case sfast, deepCache:
			d.setFlag(name, "true")
		default:
			// The text after an equals sign may be a token.
			named, _, _ := strings.Cut(word, "=")
			d.reject(fault.ModelFieldInvalid, v, "optimization_flags", quoted(named)+" is no optimization",
				`write "SFAST" or "DEEPCACHE", and other variables as {"NAME": "value"}`)
			return
		}
	}
}

// readVariable reads one member of the object form. Numbers are accepted too.
func (d *draft) readVariable(m member) {
	name, at := m.name, m.value
	field := "optimization_flags." + clean(name)
	switch {
	case !variableName().MatchString(name):
		d.reject(fault.ModelFieldInvalid, at, "optimization_flags", quoted(name)+" is not a variable's name",
			"use letters, digits and underscores")
		return
	case slices.Contains(ourVariables(), strings.ToUpper(name)):
		d.reject(fault.ModelFieldInvalid, at, field, "the node sets this variable itself", "delete it")
		return
	case len(d.entry.Flags) == maxFlags:
		d.reject(fault.ModelFieldInvalid, at, field, "there are more than 100 variables", "delete those that are not needed")
		return
	}
	if known := d.knownVariable(m); known != "" {
		name = known
	}
	switch {
	case at.kind == isNull:
		d.noticeAt(at, field, "null counts as left out")
	case at.kind != isString && at.kind != isNumber && at.kind != isBool:
		d.reject(fault.ModelFieldInvalid, at, field,
			"it is "+string(at.kind)+", not a string, number, true or false", `write "value"`)
	case len(at.text) > maxFlagBytes || strings.ContainsAny(at.text, "\x00\n\r"):
		d.reject(fault.ModelFieldInvalid, at, field, "its value is too long or holds a line break", "shorten it")
	default:
		if _, twice := d.entry.Flags.Lookup(name); twice {
			d.reject(fault.ModelFieldInvalid, at, field, "it is given twice", "keep one of the two")
			return
		}
		d.setFlag(name, at.text)
		d.flagLine()[name] = at.line
	}
}

// knownVariable returns the runners' spelling of a name that differs in case only; it reports
// names that look mistyped.
func (d *draft) knownVariable(m member) string {
	for _, known := range knownVariables() {
		if known == m.name {
			return known
		}
		if strings.EqualFold(known, m.name) {
			d.noticeAt(m.value, "optimization_flags."+m.name, "taken as "+known)
			return known
		}
	}
	if len(d.l.notices) >= maxNotices {
		return ""
	}
	if near, mistakes := fault.SuggestName(m.name, knownVariables()); near != "" && mistakes <= 3 {
		d.noticeAt(m.value, "optimization_flags."+m.name,
			"no runner of the network reads this variable; did you mean "+near+"?")
	}
	return ""
}

func (d *draft) setFlag(name, value string) {
	if _, twice := d.entry.Flags.Lookup(name); !twice {
		d.entry.Flags = append(d.entry.Flags, NewSetting(name, value))
	}
}

// flagLine returns the map of the variables' lines.
func (d *draft) flagLine() map[string]int {
	if d.flagLines == nil {
		d.flagLines = map[string]int{}
	}
	return d.flagLines
}

// switchedOn reports whether a flag is given and not off.
func (d *draft) switchedOn(name string) bool {
	v, ok := d.entry.Flags.Lookup(name)
	if on, isTruth := truth(v); isTruth {
		return ok && on == "true"
	}
	return ok && v != ""
}

// checkFlags checks the optimizations of image pipelines.
func (d *draft) checkFlags() {
	at := d.given["optimization_flags"]
	fast, deep := d.switchedOn(sfast), d.switchedOn(deepCache)
	if fast && deep {
		d.reject(fault.ModelFlagsConflict, at, "optimization_flags", "SFAST and DEEPCACHE cannot be combined",
			"keep one of the two")
	}
	if id := strings.ToLower(d.modelText()); deep && (strings.Contains(id, "lightning") || strings.Contains(id, "turbo")) {
		d.reject(fault.ModelFlagsConflict, at, "optimization_flags",
			"DEEPCACHE spoils the images of Lightning and Turbo models such as "+quoted(d.modelText()),
			"use SFAST, or none")
	}
	if (fast || deep) && !d.pipeline.Images && d.pipeline.Capability != capability.ID(0) {
		d.noticeAt(at, "optimization_flags", "SFAST and DEEPCACHE have no effect on "+d.pipeline.Name())
	}
}
