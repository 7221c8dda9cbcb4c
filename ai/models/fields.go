package models

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/distribution/reference"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// field is one key of an entry. docs/aiModels.schema.json and docs/ai-models.md
// have each of them; a test compares.
type field struct {
	name  string
	kinds []kind
	// money means that a value of the wrong type is a wrong price.
	money bool
	// example is a valid value for remedies.
	example string
	read    func(d *draft, v node)
}

// fields returns all keys, in the order in which they are read: a field may depend on earlier
// ones.
func fields() []field {
	text := []kind{isString}
	return []field{
		{name: "pipeline", kinds: text, example: `"llm"`, read: readPipeline},
		{name: "model_id", kinds: text, example: `"org/model"`, read: readModelID},
		{name: "warm", kinds: []kind{isBool}, example: "true, without quotes", read: readWarm},
		{name: "remote", kinds: []kind{isBool}, example: "true, without quotes", read: readRemote},
		{name: "currency", kinds: text, example: `"USD"`, read: readCurrency},
		{name: "price_per_unit", kinds: []kind{isNumber, isString}, money: true,
			example: `0.18 and "currency": "USD"`, read: readPrice},
		{name: "pixels_per_unit", kinds: []kind{isNumber, isString}, money: true,
			example: "1000000", read: readPixels},
		{name: "gateway", kinds: text, example: `"0x" and 40 hexadecimal digits`, read: readGateway},
		{name: "url", kinds: text, example: `"http://host:8000"`, read: readURL},
		{name: "ca", kinds: text, example: `"/etc/tutti/runner.pem"`, read: readCA},
		{name: "token", kinds: text, example: `"text"`, read: readToken},
		{name: "served_model", kinds: text, example: `"llama3.1:8b"`, read: readServedModel},
		{name: "capacity", kinds: []kind{isNumber}, example: "4", read: readCapacity},
		{name: "optimization_flags", kinds: []kind{isString, isObject},
			example: `"SFAST" or {"NAME": "value"}`, read: readFlags},
		{name: "gpus", kinds: []kind{isNumber, isArray},
			example: "2 for the number, or [0, 1] for the devices", read: readGPUs},
		{name: "vram_gb", kinds: []kind{isNumber}, example: "16", read: readVRAM},
		{name: "image", kinds: text, example: `"registry/name:tag"`, read: readImage},
		{name: "network", kinds: []kind{isBool}, example: "true, without quotes", read: readNetwork},
		{name: "read_only", kinds: []kind{isBool}, example: "false, without quotes", read: readReadOnly},
		{name: "write_models", kinds: []kind{isBool}, example: "true, without quotes", read: readWriteModels},
		{name: "memory_gb", kinds: []kind{isNumber}, example: "64", read: readMemory},
		{name: "processes", kinds: []kind{isNumber}, example: "8192", read: readProcesses},
		{name: "capabilities", kinds: []kind{isArray}, example: `["SETUID", "SETGID"]`, read: readCapabilities},
		{name: "request_urls", kinds: text, example: `"fetch", "data", "public" or "any"`, read: readRequestURLs},
		{name: "features", kinds: []kind{isObject}, example: `{"context": 32768, "tools": true}`, read: readFeatures},
	}
}

func readWarm(d *draft, v node) { d.entry.Warm = v.text == "true" }

func readRemote(d *draft, v node) { d.entry.Remote = v.text == "true" }

func readPipeline(d *draft, v node) {
	p, ok := pipelineNamed(v.text)
	if !ok {
		d.reject(fault.ModelPipelineUnknown, v, "pipeline", unknownPipeline(v.text), pipelineRemedy(v.text))
		return
	}
	d.pipeline = p
	d.entry.Model.Capability = p.Capability
}

// badModelID says what is wrong with a model ID, "" for nothing. It becomes part
// of URLs, paths and container names.
func badModelID(id string) string {
	switch {
	case id == "":
		return "it is empty"
	case utf8.RuneCountInString(id) > 200:
		return "it is longer than 200 characters"
	case strings.ContainsFunc(id, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == utf8.RuneError
	}):
		return quoted(id) + " holds white space or control characters"
	case strings.Contains(id, "..") || strings.HasPrefix(id, "/") || strings.ContainsAny(id, "\\\"'"):
		return quoted(id) + " is no model ID"
	}
	return ""
}

func readModelID(d *draft, v node) {
	if text := badModelID(v.text); text != "" {
		d.reject(fault.ModelFieldInvalid, v, "model_id", text, `write the hub's ID, "org/model"`)
		return
	}
	d.entry.Model.ID = v.text
	d.checkVerified(v)
}

func readGateway(d *draft, v node) {
	if v.text == "" || strings.EqualFold(v.text, "default") {
		return
	}
	a, err := core.ParseAddress(v.text)
	if err != nil {
		d.reject(fault.ModelFieldInvalid, v, "gateway", err.Error(), `write the gateway's address, or "default"`)
		return
	}
	d.price.gateway = a
}

func readURL(d *draft, v node) {
	if v.text == "" {
		return
	}
	d.external = true
	const remedy = "write http://host:port"
	u, err := url.Parse(v.text)
	switch {
	case err != nil || u.Opaque != "" || u.Scheme == "" || !strings.Contains(v.text, "://"):
		d.reject(fault.ModelFieldInvalid, v, "url", "it is not an address such as http://host:8000", remedy)
		return
	case u.User != nil:
		d.reject(fault.ModelFieldInvalid, v, "url", "it holds a user name or password",
			`delete it and write the token as "token"`)
		return
	case u.Scheme != "http" && u.Scheme != "https" && !d.mayUseWebSocket(u):
		d.reject(fault.ModelFieldInvalid, v, "url", quoted(u.Scheme)+" is neither http nor https", remedy)
		return
	case u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" ||
		strings.ContainsFunc(v.text, unicode.IsSpace) || !validPort(u):
		d.reject(fault.ModelFieldInvalid, v, "url", "it is not the base address of a server", remedy)
		return
	}
	if isWebSocket(u.String()) && !d.onlyServerless() {
		d.reject(fault.ModelFieldInvalid, v, "url", "-aiServerless offers exactly one model by a WebSocket",
			"keep one of the entries")
		return
	}
	d.entry.URL = strings.TrimRight(u.String(), "/")
}

func validPort(u *url.URL) bool {
	if u.Port() == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	n, err := strconv.Atoi(u.Port())
	return err == nil && n > 0 && n < 65536
}

func readToken(d *draft, v node) {
	if strings.ContainsFunc(v.text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		d.reject(fault.ModelFieldInvalid, v, "token", "it holds characters that cannot be sent in a header",
			"write it without spaces and line breaks")
		return
	}
	d.entry.Token = core.NewSecret(v.text)
}

func readServedModel(d *draft, v node) {
	tooLong := utf8.RuneCountInString(v.text) > 300
	if tooLong || strings.ContainsFunc(v.text, unicode.IsControl) || !utf8.ValidString(v.text) {
		d.reject(fault.ModelFieldInvalid, v, "served_model", "it is not a model's name",
			"write the name that the server behind url gives the model")
		return
	}
	d.entry.ServedModel = v.text
}

// maxCapacity bounds the jobs or containers of one entry.
const maxCapacity = 10_000

func readCapacity(d *draft, v node) {
	n, ok := whole(v.text, maxCapacity)
	if !ok {
		d.reject(fault.ModelFieldInvalid, v, "capacity", v.short()+" is not a whole number from 1 to 10000",
			"write how many jobs a server takes at once or how many containers to start, or leave it out")
		return
	}
	d.entry.Capacity = n
}

// maxGPUs bounds the devices of one container.
const maxGPUs = 1024

// maxImage bounds an image's name.
const maxImage = 300

func deviceID() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_./-]{0,99}$`) }

// whole reads a number from 1 to most, however JSON writes it.
func whole(text string, most uint64) (int, bool) {
	n, err := core.ParseWei(text)
	if err != nil || n.IsZero() || n.Cmp(core.NewWei(most)) > 0 {
		return 0, false
	}
	return int(n.Big().Int64()), true
}

func readGPUs(d *draft, v node) {
	if v.kind == isNumber {
		n, ok := whole(v.text, maxGPUs)
		if !ok {
			d.reject(fault.ModelDevices, v, "gpus", v.short()+" is not a number of devices",
				"write 2 for two devices, [0] for the device 0")
			return
		}
		d.entry.GPUs = GPUs{Count: n}
		return
	}
	seen := map[string]bool{}
	for _, item := range v.items {
		whole := item.kind == isString
		if item.kind == isNumber {
			n, err := strconv.Atoi(item.text)
			whole = err == nil && n >= 0
		}
		switch {
		case !whole || !deviceID().MatchString(item.text):
			d.reject(fault.ModelDevices, item, "gpus", item.short()+" is not a device's number or ID", "write [0, 1]")
			return
		case seen[item.text]:
			d.reject(fault.ModelDevices, item, "gpus", "device "+item.text+" is named twice", "name each device once")
			return
		}
		seen[item.text] = true
		d.entry.GPUs.IDs = append(d.entry.GPUs.IDs, item.text)
	}
	if d.entry.GPUs.Count = len(v.items); d.entry.GPUs.Count == 0 || d.entry.GPUs.Count > maxGPUs {
		d.reject(fault.ModelDevices, v, "gpus", "it names no device, or too many",
			"write [0, 1], or leave it out for one device")
	}
}

func readVRAM(d *draft, v node) {
	gb, err := strconv.ParseFloat(v.text, 64)
	if err != nil || !(gb > 0 && gb <= 100_000) {
		d.reject(fault.ModelFieldInvalid, v, "vram_gb", v.short()+" is not an amount of memory",
			"write the GPU memory that the model needs in GB, 16 for example")
		return
	}
	d.entry.VRAM, d.entry.vramGiven = int64(gb*GB), true
}

func readImage(d *draft, v node) {
	if v.text == "" {
		return
	}
	// The engine's own rule.
	if _, err := reference.ParseNormalizedNamed(v.text); err != nil || len(v.text) > maxImage {
		d.reject(fault.ModelFieldInvalid, v, "image", quoted(v.text)+" is not the name of a container image",
			"write registry/name:tag")
		return
	}
	d.entry.Image = v.text
}

// short returns a value for a message: as written, but never long or over many lines.
func (n node) short() string {
	switch n.kind {
	case isString:
		return quoted(n.text)
	case isNumber, isBool:
		if len(n.text) <= 80 {
			return n.text
		}
		return n.text[:79] + "…"
	}
	return string(n.kind)
}
