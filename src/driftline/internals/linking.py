"""Functions that other compiled functions call, and the entry points that Python calls.

numba compiles every function completely: with a wrapper that converts Python arguments, and to
machine code. It optimises the function once by itself and again in each caller. Most functions are
called by other compiled functions only, so most of that work is discarded.

Here a function has two dispatchers. ``Linked`` is what other compiled functions see. It keeps LLVM
code, without a wrapper and without machine code. ``Entry`` is what Python sees. It adds the wrapper
to the linked code, optimises both and generates machine code, when Python calls the function.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult, compile_extra
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]
from numba.core.environment import Environment
from numba.core.event import trigger_event
from numba.core.registry import CPUDispatcher
from numba.core.runtime.nrt import rtsys
from numba.core.sigutils import normalize_signature
from numba.core.typing.templates import _OverloadFunctionTemplate

from driftline.internals.code_cache import cache_of
from driftline.internals.compile_session import session
from driftline.internals.lean_compiler import LeanCompiler, LeanFlags


class LeanLibrary(JITCodeLibrary):  # type: ignore[misc]
    """LLVM code to which the passes for functions are applied with one pass manager.

    numba makes a pass manager for each function, also for those that a module only declares.
    """

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout
        manager, builder = self._codegen._function_pass_manager()
        for function in module.functions:
            if not function.is_declaration:
                manager.run(function, builder)


class LinkedLibrary(LeanLibrary):
    """LLVM code that is linked into callers and never becomes machine code by itself."""

    def _optimize_final_module(self) -> None:
        """Nothing: the entry point optimises all that is linked into it."""

    def _finalize_final_module(self) -> None:
        """Do not pass the code to the execution engine, which would generate machine code."""
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class Key:
    """Identifies the code of one signature; stands for the function pointer that it does not have."""


class LinkedResult(CompileResult):  # type: ignore[misc]
    """A compilation that is stored on disk as LLVM bitcode."""

    __slots__ = ()

    def _reduce(self) -> tuple[Any, ...]:
        self.fndesc.typemap = self.fndesc.calltypes = None
        code = self.library.name, self.library._final_module.as_bitcode()
        return code, self.fndesc, None, self.signature, False, (), "", self.reload_init, ()


class LinkedCodegen:
    """Reads linked code from the disk, in place of numba's generator of machine code."""

    def __init__(self, codegen: Any) -> None:
        self.codegen = codegen

    def magic_tuple(self) -> Any:
        """The processor, as part of the key on disk."""
        return self.codegen.magic_tuple()

    def unserialize_library(self, stored: tuple[str, bytes]) -> LinkedLibrary:
        """The library that ``LinkedResult`` has stored."""
        name, code = stored
        library = LinkedLibrary(self.codegen, name)
        library._final_module = llvm.parse_bitcode(code)
        library._finalize_final_module()
        return library


class LinkedContext:
    """What numba's cache asks of the target when it reads a function."""

    def __init__(self, context: Any) -> None:
        self.context, self.typing_context = context, context.typing_context

    def refresh(self) -> None:
        """Bring the target up to date."""
        self.context.refresh()

    def codegen(self) -> LinkedCodegen:
        """The reader of linked code."""
        return LinkedCodegen(self.context.codegen())

    def get_executable(self, *_: object) -> Key:
        """There is no function that Python can call."""
        return Key()


class LinkedCache:
    """The cache of the linked code of a function: the folders of its machine code, in other files."""

    def __init__(self, cache: Any) -> None:
        self.cache = cache

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the stored code; None if there is none."""
        return self.cache.load_overload(signature, LinkedContext(context))

    def save_overload(self, signature: Any, result: CompileResult) -> None:
        """Store the code."""
        self.cache.save_overload(signature, LinkedResult(*result))


class LinkedCompiler(_FunctionCompiler):  # type: ignore[misc]
    """Compiles a function to LLVM code."""

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        flags = LeanFlags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        flags.no_cpython_wrapper = flags.no_cfunc_wrapper = flags.no_compile = True
        context = self.targetdescr.target_context
        found = compile_extra(
            self.targetdescr.typing_context,
            context,
            self.py_func,
            args=args,
            return_type=return_type,
            flags=flags,
            locals=self.locals,
            library=LinkedLibrary(context.codegen(), self.py_func.__qualname__),
            pipeline_class=self.pipeline_class,
        )
        # the environment of the entry point has the same name, and constants
        Environment._memo.pop(found.fndesc.env_name, None)
        return found


class Linked(CPUDispatcher):  # type: ignore[misc]
    """A function as other compiled functions see it."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, targetoptions=options)
        self._compiler = LinkedCompiler(function, self.targetdescr, options, {}, LeanCompiler)

    def compile(self, sig: Any) -> Any:
        """Compile for these types, or load the code; at once if it is there, without the timers of numba."""
        with self._compiling_counter:
            args, return_type = normalize_signature(sig)
            if args not in self.overloads:
                self._add(sig, args, return_type)
            return self.overloads[args].entry_point

    def _add(self, sig: Any, args: Any, return_type: Any) -> None:
        """Load the code or compile it. numba's lock is held: another function is being compiled."""
        found = self._cache.load_overload(sig, self.targetctx)
        if found is not None:
            self.targetctx.insert_user_function(found.entry_point, found.fndesc, [found.library])
            self.add_overload(found)
            return
        with trigger_event("numba:compile", data={"dispatcher": self, "args": args, "return_type": return_type}):
            result = self._compiler.compile(args, return_type)
            self.add_overload(result)
        self._cache.save_overload(sig, result)

    def add_overload(self, result: Any) -> None:
        """Make the code known to callers; Python cannot call it."""
        if result.entry_point is None:
            result = result._replace(entry_point=Key())
            self.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        self.overloads[tuple(result.signature.args)] = result


PLAIN_OPTIONS = {"nopython", "no_cpython_wrapper"}
"""Options of numba's own functions, which ``Part`` implies."""


class Part(Linked):
    """One of numba's own functions that are written in Python, such as ``max`` or ``np.empty``.

    The compiled code is not stored: what is stored of its callers contains it.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, options)
        self._compiler = LinkedCompiler(function, self.targetdescr, options, {}, Compiler)


@contextmanager
def linked_parts(typing: Any) -> Iterator[None]:
    """Within this context, numba's own functions become LLVM code only, like the functions that call them.

    numba would also generate machine code for each, and a wrapper for C. numba's lock is held.
    """
    chosen = _OverloadFunctionTemplate._get_jit_decorator

    def choose(template: Any) -> Any:
        if template.context is not typing or not PLAIN_OPTIONS.issuperset(template._jit_options):
            return chosen(template)
        return lambda **options: lambda function: Part(function, options)

    _OverloadFunctionTemplate._get_jit_decorator = choose
    try:
        yield
    finally:
        _OverloadFunctionTemplate._get_jit_decorator = chosen


class EntryResult(CompileResult):  # type: ignore[misc]
    """A compilation that is stored on disk as machine code, without LLVM code for callers."""

    __slots__ = ()

    def _reduce(self) -> tuple[Any, ...]:
        (name, kind, (code, _)), *rest = super()._reduce()
        return (name, kind, (code, self._names())), *rest

    def _names(self) -> bytes:
        """A module that defines the names that numba looks up in the machine code."""
        wrapper, environment = self.fndesc.llvm_cpython_wrapper_name, self.fndesc.env_name
        text = f'define void @"{wrapper}"() {{\n  ret void\n}}\n@"{environment}" = common global ptr null\n'
        bitcode: bytes = llvm.parse_assembly(text).as_bitcode()
        return bitcode


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause the garbage collector: a compilation makes many objects that stay, and each pass visits them again.

    numba's lock is held, so that two threads cannot be in here.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


class EntryCompiler(_FunctionCompiler):  # type: ignore[misc]
    """Compiles the entry point of a linked function."""

    def __init__(self, entry: Entry) -> None:
        super().__init__(entry.py_func, entry.targetdescr, entry.targetoptions, {}, LeanCompiler)
        self._entry = weakref.proxy(entry)

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        with uncollected(), session(self.targetdescr.target_context), linked_parts(self.targetdescr.typing_context):
            return self._compiled(args)

    def _compiled(self, args: Any) -> EntryResult:
        linked = self._entry.linked
        linked.compile(tuple(args))
        result = linked.overloads[tuple(args)]
        environment = Environment(result.fndesc.lookup_globals())
        environment.env_name = result.fndesc.env_name
        Environment._memo[environment.env_name] = environment
        context = self.targetdescr.target_context.subtarget(enable_nrt=True)
        library = LeanLibrary(context.codegen(), self.py_func.__qualname__)
        library.enable_object_caching()
        library.add_linking_library(result.library)
        library.add_linking_library(rtsys.library)
        released = bool(self.targetoptions["nogil"])
        context.create_cpython_wrapper(library, result.fndesc, environment, result.call_helper, released)
        entry = context.get_executable(library, result.fndesc, environment)
        parts = {"entry_point": entry, "library": library, "environment": environment, "metadata": {}}
        return EntryResult(*result._replace(**parts))


class Entry(CPUDispatcher):  # type: ignore[misc]
    """A function as Python sees it."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any], stamp: object) -> None:
        super().__init__(function, targetoptions=options)
        self._stamp, self._cache = stamp, cache_of(function, stamp)
        self._linked: Linked | None = None
        self._compiler = EntryCompiler(self)

    @property
    def linked(self) -> Linked:
        """The function as other compiled functions see it."""
        if self._linked is None:
            self._linked = Linked(self.py_func, self.targetoptions)
            self._linked._cache = LinkedCache(cache_of(linked_name(self.py_func), self._stamp))
        return self._linked

    @property
    def is_compiling(self) -> bool:
        """Whether the function is being compiled, so that a call of it in another function is recursive."""
        return self._linked is not None and bool(self._linked.is_compiling)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Types of a call in another compiled function."""
        return self.linked.get_call_template(args, kws)

    def get_overload(self, signature: Any) -> Any:
        """What another compiled function calls."""
        return self.linked.get_overload(signature)

    def entry(self, types: tuple[Any, ...]) -> Callable[..., Any]:
        """The compiled function for arguments of these types, without type dispatch."""
        self.compile(types)
        found: Callable[..., Any] = self.overloads[types].entry_point
        return found


LINKED = ".linked"
"""How the names end by which linked code is stored."""


def linked_name(function: Callable[..., Any]) -> FunctionType:
    """The function under another name, by which its linked code is stored."""
    assert isinstance(function, FunctionType)
    named = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    named.__qualname__, named.__module__ = function.__qualname__ + LINKED, function.__module__
    return named
