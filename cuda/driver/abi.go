package driver

// entry is a function of libcuda, an index into names.
type entry int

// The functions that are called, as cuda.h of CUDA 13 declares them. CUresult,
// CUdevice and unsigned are 32 bits, handles, size_t and CUdeviceptr 64. If cuda.h
// defines a name as another with _v2, the name without it is the old function with
// 32-bit sizes. So the suffix matters.
var (
	cuInit                    = symbol("cuInit")                       // (flags)
	cuDriverGetVersion        = symbol("cuDriverGetVersion")           // (int*)
	cuGetErrorName            = symbol("cuGetErrorName")               // (error, const char**)
	cuGetErrorString          = symbol("cuGetErrorString")             // (error, const char**)
	cuDeviceGetCount          = symbol("cuDeviceGetCount")             // (int*)
	cuDeviceGet               = symbol("cuDeviceGet")                  // (device*, ordinal)
	cuDeviceGetName           = symbol("cuDeviceGetName")              // (char*, len, device)
	cuDeviceGetAttribute      = symbol("cuDeviceGetAttribute")         // (int*, attribute, device)
	cuDeviceTotalMem          = symbol("cuDeviceTotalMem_v2")          // (size_t*, device)
	cuDevicePrimaryCtxRetain  = symbol("cuDevicePrimaryCtxRetain")     // (context*, device)
	cuDevicePrimaryCtxRelease = symbol("cuDevicePrimaryCtxRelease_v2") // (device)
	cuCtxSetCurrent           = symbol("cuCtxSetCurrent")              // (context)
	cuCtxSynchronize          = symbol("cuCtxSynchronize")             // ()
	cuModuleLoadDataEx        = symbol("cuModuleLoadDataEx")           // (module*, image, n, options*, values**)
	cuModuleUnload            = symbol("cuModuleUnload")               // (module)
	cuModuleGetFunction       = symbol("cuModuleGetFunction")          // (function*, module, name)
	cuFuncGetAttribute        = symbol("cuFuncGetAttribute")           // (int*, attribute, function)
	cuFuncSetAttribute        = symbol("cuFuncSetAttribute")           // (function, attribute, int)
	cuLaunchKernel            = symbol("cuLaunchKernel")               // (function, grid x y z, block x y z, shared, stream, params**, extra**)
	cuMemAlloc                = symbol("cuMemAlloc_v2")                // (address*, bytes)
	cuMemFree                 = symbol("cuMemFree_v2")                 // (address)
	cuMemGetInfo              = symbol("cuMemGetInfo_v2")              // (free*, total*)
	cuMemAllocHost            = symbol("cuMemAllocHost_v2")            // (void**, bytes)
	cuMemFreeHost             = symbol("cuMemFreeHost")                // (void*)
	cuMemcpyHtoDAsync         = symbol("cuMemcpyHtoDAsync_v2")         // (to, from, bytes, stream)
	cuMemcpyDtoHAsync         = symbol("cuMemcpyDtoHAsync_v2")         // (to, from, bytes, stream)
	cuMemcpyDtoDAsync         = symbol("cuMemcpyDtoDAsync_v2")         // (to, from, bytes, stream)
	cuMemsetD8Async           = symbol("cuMemsetD8Async")              // (to, byte, bytes, stream)
	cuStreamCreate            = symbol("cuStreamCreate")               // (stream*, flags)
	cuStreamDestroy           = symbol("cuStreamDestroy_v2")           // (stream)
	cuStreamSynchronize       = symbol("cuStreamSynchronize")          // (stream)
	cuStreamWaitEvent         = symbol("cuStreamWaitEvent")            // (stream, event, flags)
	cuEventCreate             = symbol("cuEventCreate")                // (event*, flags)
	cuEventDestroy            = symbol("cuEventDestroy_v2")            // (event)
	cuEventRecord             = symbol("cuEventRecord")                // (event, stream)
	cuEventSynchronize        = symbol("cuEventSynchronize")           // (event)
	cuEventElapsedTime        = symbol("cuEventElapsedTime")           // (float* ms, start, end)
	cuFuncGetParamInfo        = symbol("cuFuncGetParamInfo")           // (function, index, offset*, size*), since CUDA 12.4
)

// names are the symbols of the functions.
var names []string

func symbol(name string) entry {
	names = append(names, name)
	return entry(len(names) - 1)
}

// optional functions came with a driver later than the oldest we run on.
var optional = map[entry]bool{cuFuncGetParamInfo: true}

// CUdevice_attribute.
const (
	attrSharedPerBlock = 97 // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
	attrClockKHz       = 13
	attrSMs            = 16
	attrL2             = 38
	attrMajor          = 75
	attrMinor          = 76
	attrRegistersPerSM = 82
)

// CUfunction_attribute.
const (
	funcMaxThreads       = 0 // what its registers leave room for
	funcShared           = 1 // static
	funcLocal            = 3
	funcRegisters        = 4
	funcMaxDynamicShared = 8
)

// CUjit_option. A value is passed in place of a pointer; the sizes of the logs come
// back in the same place.
const (
	jitInfoLog     = 3
	jitInfoLogSize = 4
	jitErrLog      = 5
	jitErrLogSize  = 6
	jitVerbose     = 12
)

const (
	streamNonBlocking  = 1 // not ordered with the null stream
	eventDisableTiming = 2
)

// The keys of cuLaunchKernel's extra.
const (
	extraEnd     = 0
	extraPointer = 1
	extraSize    = 2
)
