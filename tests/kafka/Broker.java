import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Runs one Kafka broker for a test, which is its own controller (KRaft): {@code java -cp 'JARS/*' Broker.java SETTINGS PORT TOPIC:PARTITIONS…}.
 * PORT is that of a listener without authentication. Prints a line when the broker is ready, and then one for each record: topic, partition, key
 * and value, separated by tabs. Ends when standard input is closed, i.e. also when the parent process crashes.
 */
public class Broker {
    public static void main(String[] arguments) throws Exception {
        String settings = arguments[0];
        String server = "127.0.0.1:" + arguments[1];
        // Standard output is for the records, so the log goes to standard error.
        PrintStream out = System.out;
        System.setOut(System.err);
        String[] format = {"format", "-t", "MkU3OEVBNTcwNTJENDM2Qk", "-c", settings};
        int formatted = kafka.tools.StorageTool.execute(format, System.err);
        if (formatted != 0) {
            throw new IllegalStateException("the folder cannot be formatted");
        }
        Thread broker = new Thread(() -> kafka.Kafka.main(new String[] {settings}));
        broker.setDaemon(true);
        broker.start();
        List<NewTopic> topics = List.of(arguments).subList(2, arguments.length).stream()
            .map(topic -> topic.split(":"))
            .map(topic -> new NewTopic(topic[0], Integer.parseInt(topic[1]), (short) 1))
            .toList();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", server))) {
            admin.createTopics(topics).all().get();
        }
        Thread reader = new Thread(() -> read(server, topics, out));
        reader.setDaemon(true);
        reader.start();
        out.println("Kafka listens");
        out.flush();
        while (System.in.read() >= 0) {
            // Waits until standard input is closed, ignoring its content.
        }
        Runtime.getRuntime().halt(0);
    }

    private static void read(String server, List<NewTopic> topics, PrintStream out) {
        Properties reading = new Properties();
        reading.put("bootstrap.servers", server);
        StringDeserializer text = new StringDeserializer();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(reading, text, text)) {
            List<TopicPartition> all = topics.stream()
                .flatMap(topic -> java.util.stream.IntStream.range(0, topic.numPartitions())
                    .mapToObj(number -> new TopicPartition(topic.name(), number)))
                .toList();
            consumer.assign(all);
            consumer.seekToBeginning(all);
            while (true) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
                    out.println(record.topic() + "\t" + record.partition() + "\t" + record.key() + "\t" + record.value());
                }
                out.flush();
            }
        }
    }
}
