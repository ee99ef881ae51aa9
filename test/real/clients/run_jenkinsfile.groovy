import org.codehaus.groovy.control.CompilerConfiguration

/** What a Jenkinsfile can call. Every block of one stage is carried out. */
abstract class StandIn extends Script {
    def methodMissing(String name, args) {
        def last = args ? args[-1] : null
        switch (name) {
            case 'stage': return args[0] == stageToRun ? last.call() : null
            case 'sh': return args[0] instanceof Map ? exitCode : 0
            case 'error': throw new IllegalStateException(args[0].toString())
            case ['unstable', 'stash', 'unstash', 'input', 'archiveArtifacts']: said << name; return null
        }
        last instanceof Closure ? last.call() : last
    }

    def propertyMissing(String name) { name }
}

// The file, then stages with the exit code that setpoint has in them, such as Plan=2: a line for each.
args.tail().each { run ->
    def (stage, code) = run.split('=')
    def said = []
    def binding = new Binding(env: [BRANCH_NAME: 'main'], stageToRun: stage, exitCode: code as int, said: said)
    def shell = new GroovyShell(this.class.classLoader, binding, new CompilerConfiguration(scriptBaseClass: 'StandIn'))
    try {
        shell.evaluate(new File(args[0]))
    } catch (IllegalStateException e) {
        said << 'error'
    }
    println "${run}: ${said.join(', ')}; approval ${binding.env.APPROVAL}"
}
