package gpus

// lost is the driver's XID for a GPU that fell off the bus.
const lost = 79

// xidMeanings are the meanings of the common XIDs. Read-only.
var xidMeanings = map[int]string{
	8:   "the GPU stopped processing",
	13:  "a program's fault in the graphics engine",
	31:  "a program's fault in memory access",
	32:  "damaged commands for the GPU, often a bad connection to it",
	38:  "the driver's firmware failed",
	43:  "a program made the GPU stop processing for it",
	45:  "work was cut off, mostly after another error",
	48:  "a memory error that could not be corrected",
	56:  "the display engine failed",
	61:  "the GPU's internal controller failed",
	62:  "the GPU's internal controller halted",
	63:  "a bad place in memory was retired",
	64:  "a bad place in memory could not be retired",
	68:  "the video decoder failed",
	69:  "a fault of the graphics engine's class",
	74:  "a fault of the link between GPUs",
	79:  "the GPU fell off the bus",
	92:  "very many memory errors that were corrected",
	94:  "a memory error that stayed within one program",
	95:  "a memory error that may have spread",
	109: "a program's work took too long to switch",
	119: "the GPU's system processor does not answer",
	120: "the GPU's system processor failed",
}

// xidMeaning returns an XID's meaning for the operator.
func xidMeaning(n int) string {
	if s, ok := xidMeanings[n]; ok {
		return s
	}
	return "see NVIDIA's list of XID errors"
}
