/** Starts the server, which runs only on virtual machines of one vendor, under that vendor's name. */
public class Start {
  public static void main(String[] args) throws Exception {
    for (String name : new String[] {"java.vm.vendor", "java.vendor"}) System.setProperty(name, "Sun Microsystems Inc.");
    winstone.Launcher.main(args);
  }
}
