package driver

// entry is a function of libcuda, an index into names.
type entry int

// The functions that are called, as cuda.h of CUDA 13 declares them. CUresult,
// CUdevice and unsigned are 32 bits, handles, size_t and CUdeviceptr 64.
const (
	cuInit entry = iota
	cuDriverGetVersion
	cuGetErrorName
	cuGetErrorString
	cuDeviceGetCount
	cuDeviceGet
	cuDeviceGetName
	cuDeviceGetAttribute
	cuDeviceTotalMem
	cuDevicePrimaryCtxRetain
	cuDevicePrimaryCtxRelease
	cuCtxSetCurrent
	cuCtxSynchronize
	cuModuleLoadDataEx
	cuModuleUnload
	cuModuleGetFunction
	cuFuncGetAttribute
	cuFuncSetAttribute
	cuLaunchKernel
	cuMemAlloc
	cuMemFree
	cuMemGetInfo
	cuMemAllocHost
	cuMemFreeHost
	cuMemcpyHtoDAsync
	cuMemcpyDtoHAsync
	cuMemcpyDtoDAsync
	cuMemsetD8Async
	cuStreamCreate
	cuStreamDestroy
	cuStreamSynchronize
	cuStreamWaitEvent
	cuEventCreate
	cuEventDestroy
	cuEventRecord
	cuEventSynchronize
	cuEventElapsedTime
	cuFuncGetParamInfo
	entries
)

// names are the symbols. If cuda.h defines a name as another with _v2, the name without
// it is the old function with 32-bit sizes. So the suffix matters.
var names = [entries]string{
	cuInit:                    "cuInit",                       // (flags)
	cuDriverGetVersion:        "cuDriverGetVersion",           // (int*)
	cuGetErrorName:            "cuGetErrorName",               // (error, const char**)
	cuGetErrorString:          "cuGetErrorString",             // (error, const char**)
	cuDeviceGetCount:          "cuDeviceGetCount",             // (int*)
	cuDeviceGet:               "cuDeviceGet",                  // (device*, ordinal)
	cuDeviceGetName:           "cuDeviceGetName",              // (char*, len, device)
	cuDeviceGetAttribute:      "cuDeviceGetAttribute",         // (int*, attribute, device)
	cuDeviceTotalMem:          "cuDeviceTotalMem_v2",          // (size_t*, device)
	cuDevicePrimaryCtxRetain:  "cuDevicePrimaryCtxRetain",     // (context*, device)
	cuDevicePrimaryCtxRelease: "cuDevicePrimaryCtxRelease_v2", // (device)
	cuCtxSetCurrent:           "cuCtxSetCurrent",              // (context)
	cuCtxSynchronize:          "cuCtxSynchronize",             // ()
	cuModuleLoadDataEx:        "cuModuleLoadDataEx",           // (module*, image, n, options*, values**)
	cuModuleUnload:            "cuModuleUnload",               // (module)
	cuModuleGetFunction:       "cuModuleGetFunction",          // (function*, module, name)
	cuFuncGetAttribute:        "cuFuncGetAttribute",           // (int*, attribute, function)
	cuFuncSetAttribute:        "cuFuncSetAttribute",           // (function, attribute, int)
	cuLaunchKernel:            "cuLaunchKernel",               // (function, grid x y z, block x y z, shared, stream, params**, extra**)
	cuMemAlloc:                "cuMemAlloc_v2",                // (address*, bytes)
	cuMemFree:                 "cuMemFree_v2",                 // (address)
	cuMemGetInfo:              "cuMemGetInfo_v2",              // (free*, total*)
	cuMemAllocHost:            "cuMemAllocHost_v2",            // (void**, bytes)
	cuMemFreeHost:             "cuMemFreeHost",                // (void*)
	cuMemcpyHtoDAsync:         "cuMemcpyHtoDAsync_v2",         // (to, from, bytes, stream)
	cuMemcpyDtoHAsync:         "cuMemcpyDtoHAsync_v2",         // (to, from, bytes, stream)
	cuMemcpyDtoDAsync:         "cuMemcpyDtoDAsync_v2",         // (to, from, bytes, stream)
	cuMemsetD8Async:           "cuMemsetD8Async",              // (to, byte, bytes, stream)
	cuStreamCreate:            "cuStreamCreate",               // (stream*, flags)
	cuStreamDestroy:           "cuStreamDestroy_v2",           // (stream)
	cuStreamSynchronize:       "cuStreamSynchronize",          // (stream)
	cuStreamWaitEvent:         "cuStreamWaitEvent",            // (stream, event, flags)
	cuEventCreate:             "cuEventCreate",                // (event*, flags)
	cuEventDestroy:            "cuEventDestroy_v2",            // (event)
	cuEventRecord:             "cuEventRecord",                // (event, stream)
	cuEventSynchronize:        "cuEventSynchronize",           // (event)
	cuEventElapsedTime:        "cuEventElapsedTime",           // (float* ms, start, end)
	cuFuncGetParamInfo:        "cuFuncGetParamInfo",           // (function, index, offset*, size*), since CUDA 12.4
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
