package models

import (
	"slices"
	"strconv"

	"github.com/tuttinode/tutti/ai/gpuplacement"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// crossCheck checks entries against each other, in the order of the file: of two that
// conflict the later is refused.
func (l *loader) crossCheck() {
	l.checkWarm()
	l.mergePrices()
	l.checkServers()
	l.noticePrices()
	l.checkMemory()
}

// ref names another entry in a message: "line 4", or "entry 2" without lines.
func (p Position) ref() string {
	if p.Line > 0 {
		return "line " + strconv.Itoa(p.Line)
	}
	return "entry " + strconv.Itoa(p.Entry)
}

// checkWarm refuses a model that is warm in one entry and cold in another. Entries that
// were refused for another reason count too, so that all mistakes are reported at once.
func (l *loader) checkWarm() {
	first := map[inference.Model]*draft{}
	for _, d := range l.drafts {
		m, ok := d.model()
		if !ok {
			continue
		}
		before, seen := first[m]
		switch {
		case !seen:
			first[m] = d
		case before.entry.Warm != d.entry.Warm:
			d.reject(fault.ModelWarmAndCold, d.given["warm"], "warm",
				m.String()+" is "+startMode(d.entry.Warm)+" here and "+startMode(before.entry.Warm)+" in "+before.position.ref(),
				`give both the same "warm", or delete one`)
		}
	}
}

func startMode(warm bool) string {
	if warm {
		return "warm"
	}
	return "cold"
}

// runner identifies entries that differ in their price only.
type runner struct {
	model inference.Model
	url   string
	// served is the model's name there: one server may have several of the network's name.
	served string
}

// mergePrices merges entries that repeat a runner with a price for another gateway. (The
// existing node starts a container for each of them.)
func (l *loader) mergePrices() {
	first := map[runner]*draft{}
	for _, d := range l.drafts {
		if d.refused {
			continue
		}
		r := runner{d.entry.Model, d.entry.URL, d.entry.Served()}
		base, seen := first[r]
		switch {
		case !seen:
			first[r] = d
		case len(d.entry.Prices) > 0 && !base.pricesFor(d.price.gateway):
			d.merged = true
			base.entry.Prices = append(base.entry.Prices, d.entry.Prices...)
			d.notice("gateway", "counts as a price of "+base.position.ref()+" for "+gatewayName(d.price.gateway)+
				"; no second runner is made of it")
		}
	}
}

func (d *draft) pricesFor(gateway core.Address) bool {
	for _, p := range d.entry.Prices {
		if p.Gateway == gateway {
			return true
		}
	}
	return len(d.entry.Prices) == 0
}

func gatewayName(a core.Address) string {
	if a.IsZero() {
		return "all other gateways"
	}
	return "gateway " + a.String()
}

// noticePrices reports prices of one model and gateway that replace each other, and models
// without a price for other gateways than the named ones.
func (l *loader) noticePrices() {
	type key struct {
		model   inference.Model
		gateway core.Address
	}
	last := map[key]*draft{}
	for _, d := range l.drafts {
		if d.refused || len(d.entry.Prices) == 0 {
			continue
		}
		k := key{d.entry.Model, d.price.gateway}
		if before, seen := last[k]; seen && before.ownPrice().String() != d.ownPrice().String() {
			d.noticeAt(d.given["price_per_unit"], "price_per_unit",
				"replaces the price of "+before.position.ref()+" for "+gatewayName(k.gateway))
		}
		last[k] = d
	}
	for _, d := range l.drafts {
		if d.refused || d.merged || len(d.entry.Prices) == 0 {
			continue
		}
		if _, general := last[key{model: d.entry.Model}]; !general {
			d.noticeAt(d.given["gateway"], "gateway",
				"no entry of "+d.entry.Model.String()+" has a price for other gateways, so they get none")
		}
	}
}

// ownPrice returns the price that the draft itself gave.
func (d *draft) ownPrice() core.UnitPrice { return d.entry.Prices[0].Price }

// checkMemory adds up the needs of the warm containers, and refuses the entry with which
// they no longer fit.
func (l *loader) checkMemory() {
	if !l.startsContainers() {
		return
	}
	g, measured := l.gpuSet()
	var warm []gpuplacement.Need
	for _, d := range l.drafts {
		if d.refused || d.merged || d.entry.External() {
			continue
		}
		if measured && d.entry.VRAM == 0 {
			d.notice("vram_gb", "how much GPU memory a "+d.pipeline.Name()+
				" model needs depends on the model; give vram_gb to have it checked")
		}
		n := d.entry.need()
		if len(l.options.Devices) == 0 {
			n.Devices, n.IDs = 1, nil
		}
		if !g.Fits([]gpuplacement.Need{n}) {
			d.tooLarge(n, g.Devices)
			continue
		}
		if d.entry.Warm {
			warm = d.addWarm(warm, n, g)
		}
	}
}

// gpuSet returns the devices for the node's containers. measured means that their memory is
// known; else only the slots per device count.
func (l *loader) gpuSet() (g gpuplacement.Set, measured bool) {
	g = gpuplacement.Set{Devices: slices.Clone(l.options.Devices), PerDevice: max(1, l.options.ContainersPerGPU)}
	if len(g.Devices) == 0 {
		// Without GPUs the containers share one emulated device.
		g.Devices = []Device{{}}
		return g, false
	}
	for _, d := range g.Devices {
		if d.MemoryBytes > 0 {
			continue
		}
		l.notices = append(l.notices, Notice{Position: Position{Source: l.source},
			Text: "the memory of GPU " + clean(d.ID) + " is not known, so whether the models fit into it was not checked"})
		for i := range g.Devices {
			g.Devices[i].MemoryBytes = 0
		}
		return g, false
	}
	return g, true
}

// startsContainers reports whether any entry does.
func (l *loader) startsContainers() bool {
	for _, d := range l.drafts {
		if !d.refused && !d.merged && !d.entry.External() {
			return true
		}
	}
	return false
}

// tooLarge handles a model that does not fit even alone: a warm one is refused, a cold one
// gets a notice.
func (d *draft) tooLarge(n gpuplacement.Need, devices []Device) {
	// A share of a device always fits, so what does not is the model itself.
	each := gigabytes(n.Takes.Bytes)
	text := "the model needs " + each + " of GPU memory on each of " + count(n.Devices, "device") +
		", which too few of the node's devices have"
	if n.Devices <= 1 {
		text = "the model needs " + each + " of GPU memory, the largest device has " +
			gigabytes(n.Largest(devices).MemoryBytes)
	}
	if !d.entry.Warm {
		d.notice("", text+": its first job will fail")
		return
	}
	d.reject(fault.WarmModelsTooLarge, d.given["warm"], "warm", text,
		"use a smaller model, or correct the need with vram_gb")
}

// addWarm adds the entry's containers to those that fit, or refuses it.
func (d *draft) addWarm(warm []gpuplacement.Need, n gpuplacement.Need, g gpuplacement.Set) []gpuplacement.Need {
	with := warm
	for range d.entry.Containers() {
		with = append(with[:len(with):len(with)], n)
		if len(with) <= maxContainers && g.Fits(with) {
			continue
		}
		text, remedy := tooManyContainers(with, g),
			"write \"warm\": false for one of them, or raise -aiRunnerContainersPerGPU if the memory allows"
		alone := gpuplacement.Set{Devices: g.Devices, PerDevice: maxContainers}
		if len(with) > maxContainers || !alone.Fits(with) {
			text, remedy = notEnoughMemory(with, g.Devices),
				`write "warm": false for one of them, use a smaller model, or correct a need with vram_gb`
			if n.Takes.Share > 0 {
				remedy += " and GPU_MEMORY_UTILIZATION"
			}
		}
		d.reject(fault.WarmModelsTooLarge, d.given["warm"], "warm", text, remedy)
		return warm
	}
	return with
}

// tooManyContainers explains that more warm containers were configured than the devices
// have slots. The last one is refused.
func tooManyContainers(warm []gpuplacement.Need, g gpuplacement.Set) string {
	slots := 0
	for _, n := range warm {
		slots += n.Devices
	}
	have := len(g.Devices) * g.PerDevice
	switch {
	case g.Devices[0].ID == "":
		return "with this one there are " + count(slots, "warm container") +
			", a node without GPUs runs " + strconv.Itoa(have) + " at once"
	case slots <= have:
		return "none of the devices that this model may use takes another container besides those of the " +
			"warm models before it"
	}
	return "with this one the warm containers take " + count(slots, "slot") + " on GPUs, the node has " +
		strconv.Itoa(have) + " (" + count(len(g.Devices), "device") + ", " + count(g.PerDevice, "slot") + " on each)"
}

// notEnoughMemory explains that the memory is not sufficient.
func notEnoughMemory(warm []gpuplacement.Need, devices []Device) string {
	if len(warm) > maxContainers {
		return "with this one there are more than 100 warm containers"
	}
	sum, last := int64(0), warm[len(warm)-1]
	for _, n := range warm {
		sum += n.MaxTotal(devices)
	}
	if sum <= total(devices) {
		return "no device has " + gigabytes(last.Takes.On(last.Largest(devices))) +
			" of GPU memory left for this model besides the warm ones before it"
	}
	return "with this one the warm models need " + gigabytes(sum) + " of GPU memory, " + allDevices(devices)
}

func total(devices []Device) (sum int64) {
	for _, d := range devices {
		sum += d.MemoryBytes
	}
	return sum
}

// allDevices is "the 2 devices have 48 GB".
func allDevices(devices []Device) string {
	if len(devices) == 1 {
		return "the device has " + gigabytes(total(devices))
	}
	return "the " + count(len(devices), "device") + " have " + gigabytes(total(devices))
}

// gigabytes writes an amount of memory with at most one decimal.
func gigabytes(n int64) string {
	tenths := (n + GB/20) / (GB / 10)
	text := strconv.FormatInt(tenths/10, 10)
	if tenths%10 != 0 {
		text += "." + strconv.FormatInt(tenths%10, 10)
	}
	return text + " GB"
}
